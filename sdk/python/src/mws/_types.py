"""The objects of the interface. Made by sdk/generate from openapi.json: change those."""

from __future__ import annotations

from typing import Any, Literal, Union

from ._model import Model, shapes



class AccountChange(Model):
    """A change to a key, the signing secret, an endpoint, a public link, a calendar feed, a workspace or its members, or to
    the account's suspension."""

    __slots__ = ()
    id: str
    """Its id."""
    at: str
    """When it happened."""
    actor: str
    """Who made it: the id of an API key or of a user, or `operator`."""
    credential: str
    """The kind of credential: `api_key`, `session`, `oauth`, `portal` or `operator`."""
    address: str | None
    """The address that the request came from; null when it is not known, and for an operator's or a guest's."""
    action: str
    """The action, such as `key.create`, `webhook_secret.rotate` or `webhook.disable`."""
    target: str
    """The id of what was changed: a key, an endpoint, a public link, a calendar feed or a workspace (also for its members),
    otherwise the account."""
    details: Any
    """Details of the change, or null. They never hold a secret, and of an endpoint's URL only the host. `guest` is true
    where a user of another account made the change in a workspace of yours."""
    request_id: str
    """The request's `X-Request-Id`."""


class AccountDetail(Model):
    """An account with its balances."""

    __slots__ = ()
    account: OperatorAccount
    """The account."""
    balances: BalancesAnswer
    """Its balances, as its own `GET /balances` shows them."""
    unpaid_processor: UnpaidProcessorTime
    """The processor time that its media and jobs used unpaid."""


class AddCalendarEntry(Model):
    """A calendar entry to add."""

    __slots__ = ()
    title: str
    """The title, 1 to 200 characters."""
    starts_at: str
    """When it starts."""
    ends_at: str | None
    """When it ends: after `starts_at`, by at most 366 days. Without it the end is open."""
    refs: list[str] | None
    """The items that it is about, at most 20, each by its ref, its id, or the id of the job that made it."""
    channel: str | None
    """Where it will be published, at most 100 characters."""
    note: str | None
    """A note, at most 5,000 characters."""
    status: CalendarStatus | None
    """Its progress; `planned` when not given."""


class AddComment(Model):
    """A comment to add."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, the id of the job that made the item, or a timeline's id."""
    text: str
    """Its text, 1 to 5,000 characters of plain text."""
    at: float | None
    """The time of the item or the timeline that it is about, in seconds; without it, it is about the whole."""
    until: float | None
    """The end of the stretch that it is about, in seconds; after `at`."""
    region: CommentRegion | None
    """The part of the picture that it is about."""
    reply_to: str | None
    """The comment that it replies to. A reply to a reply belongs to the same thread."""


class AddUser(Model):
    """A user to add."""

    __slots__ = ()
    account_id: str
    """The account that pays for what they do."""
    name: str
    """The user's name."""
    oauth_subject: str | None
    """The `sub` of the access tokens that stand for them; without it no token does."""
    oauth_issuer: str | None
    """The issuer of those tokens; `MWS_OAUTH_ISSUER` when not given."""


class Attempt(Model):
    """One attempt."""

    __slots__ = ()
    attempt: int
    """Its number, as in `Service-Attempt`."""
    at: str
    """When it began."""
    duration_ms: int
    """Its duration, in milliseconds."""
    times: AttemptTimes
    """How long its steps took."""
    response_status: int | None
    """The receiver's HTTP status; null when there was no answer."""
    error: str | None
    """The error, or null: `interrupted`, `timeout`, `dns_failed`, `connect_failed`, `connection_lost`, `invalid_response`,
    `tls_failed`, `url_not_public`, `redirect_refused`, `http_status`, `secret_unavailable`, `endpoint_disabled`."""
    response_excerpt: str | None
    """The start of the receiver's answer, at most 1 KiB; null when there was none."""
    response_headers: dict[str, Any] | None
    """The headers of its answer, at most 32 and 2,000 bytes in all: a value of more than 256 bytes is cut, and of one that
    may be a secret, such as a cookie, the name alone is kept. Null without any."""
    clock_ahead_seconds: int | None
    """By how many seconds the receiver's clock was ahead of ours, by the `Date` of its answer; negative when it was behind.
    A receiver refuses signatures when it is off by more than 300. Null without an answer that has a `Date`."""


class AttemptTimes(Model):
    """How long the steps of an attempt took, in milliseconds. A step that did not end is null, and so is one that there was
    none of: no lookup of an address, no TLS over http, and nothing to open where a connection was open already."""

    __slots__ = ()
    dns_ms: int | None
    """Looking up the name of the receiver, or null."""
    connect_ms: int | None
    """Connecting to it, or null."""
    tls_ms: int | None
    """Setting up TLS, or null."""
    first_byte_ms: int | None
    """From the start of the attempt until the headers of the answer came; null when there was no answer."""

AudioSlot = Literal['voiceover', 'music']
"""The tracks of which a timeline has one each."""


class AuditEntry(Model):
    """A change that an operator made, or a view."""

    __slots__ = ()
    id: str
    """Its id."""
    at: str
    """When it happened."""
    operator: str
    """The operator's name, which belongs to the token."""
    address: str | None
    """The address that the request came from, or null."""
    action: str
    """The action, such as `account.create` or `read.pause`."""
    target: str
    """The target of the action: an id, or a read's name."""
    before: Any
    """The changed values before the action; null when there were none."""
    after: Any
    """The changed values after the action; null when there are none."""
    request_id: str
    """The request's `X-Request-Id`."""
    number: int | None
    """Its number in the log's chain, from 1; null for a row that is older than the chain."""
    hash: str | None
    """SHA-256 over the row and the previous row's hash, in hexadecimal; null when `number` is."""

AuthorKind = Literal['user', 'key', 'guest']
"""The kinds of authors of comments."""


class BalancesAnswer(Model):
    """The balances of the account. Amounts of cloud processing are minutes with at most two decimals."""

    __slots__ = ()
    month: str
    """The month, such as `2026-11`."""
    resets_at: str
    """When the next month's minutes are granted."""
    allowance_minutes: float
    """Minutes granted for the month."""
    used_minutes: float
    """Minutes charged in the month."""
    held_minutes: float
    """Minutes held for work that has not ended, last month's too."""
    left_minutes: float
    """The month's minutes that are left after all holds."""
    bought_minutes: float
    """Purchased minutes that are not held; they never expire and are used after the month's."""
    credits: CreditsAnswer
    """AI credits, which never expire."""
    rates: ReadRates
    """Minutes charged for each minute of media, by read and for a render."""


class BeatsAnswer(Model):
    """An item's beats, or the job that computes them."""

    __slots__ = ()
    ref: str
    """The ref or id that the request named."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether the read is stored."""
    job_id: str | None
    """The job that computes it; only when queued. Follow it with `get_jobs`, then call again."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    beats: StoredReadBeatsData | None
    """The read; only when ready."""


class BeatsData(Model):
    """The beats of an item, and its tempo."""

    __slots__ = ()
    tempo: float | None
    """Beats per minute of the longest stretch with a beat; null when there is no beat."""
    tempo_candidates: list[float]
    """That tempo, then others that a listener may count, in beats per minute."""
    beat_times: list[float]
    """The time of every beat, in seconds."""
    downbeat_times: list[float]
    """The times of the beats that begin a bar, in seconds."""
    tempo_curve: list[TempoPoint]
    """The tempo over time."""


class Board(Model):
    """A board."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    columns: list[BoardColumn]
    """Its columns, from left to right."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class BoardAnswer(Model):
    """A board."""

    __slots__ = ()
    board: Board
    """The board."""


class BoardCard(Model):
    """A card."""

    __slots__ = ()
    id: str
    """Its id, unique in its board."""
    item_id: str | None
    """The item that it is about; null when there is none."""
    ref: str | None
    """The ref of that item, or its id when it has none; null when it is deleted."""
    item_deleted: bool
    """Whether the item that it is about is deleted."""
    text: str | None
    """Its text; null when it has none."""
    note: str | None
    """Its note; null when it has none."""
    assignee: str | None
    """The person whom it is for; null when nobody is named."""
    due: str | None
    """The day on which it is due, such as `2026-12-01`, or null."""


class BoardColumn(Model):
    """A column."""

    __slots__ = ()
    id: str
    """Its id, unique in its board."""
    name: str
    """Its name."""
    cards: list[BoardCard]
    """Its cards, from top to bottom."""


class BoardOp(Model):
    """One change to a board. A field that the operation does not take is refused."""

    __slots__ = ()
    op: BoardOpKind
    """The operation."""
    column_id: str | None
    """The column's id. For a new one: 1 to 64 letters, digits, `-` and `_`; one is generated when absent."""
    card_id: str | None
    """The card's id. For a new one: like `column_id`."""
    name: str | None
    """A column's name, 1 to 200 characters."""
    position: int | None
    """The index from 0 among the other columns or cards; the end when absent."""
    ref: str | None
    """The item that a card is about: its ref, its id, or the id of the job that made it; an empty text removes it."""
    text: str | None
    """The text of a card, at most 5,000 characters."""
    note: str | None
    """A note on a card, at most 5,000 characters."""
    assignee: str | None
    """The person whom a card is for, at most 200 characters."""
    due: str | None
    """The day on which a card is due, such as `2026-12-01`; an empty text removes it."""

BoardOpKind = Literal['add_column', 'update_column', 'remove_column', 'add_card', 'move_card', 'update_card', 'remove_card']
"""The kinds of operations."""


class BoardPage(Model):
    """A page of the workspace's boards."""

    __slots__ = ()
    boards: list[ListedBoard]
    """The boards, newest first."""
    has_more: bool
    """Whether there are boards after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the boards after these; null on the last page."""


class BrandColor(Model):
    """A named colour."""

    __slots__ = ()
    name: str
    """Its name, 1 to 100 characters, unique among the colours regardless of case."""
    hex: str
    """The colour, such as `#1a2b3c`."""


class BrandFont(Model):
    """A named font."""

    __slots__ = ()
    name: str
    """Its name, 1 to 100 characters, unique among the fonts regardless of case."""
    family: str
    """Its font family, one of `families`."""


class BrandKit(Model):
    """The brand kit."""

    __slots__ = ()
    colors: list[BrandColor]
    """Its colours; the first one represents the brand."""
    fonts: list[BrandFont]
    """Its fonts."""
    logos: list[BrandLogo]
    """Its logos."""
    voice: str | None
    """The brand's tone of voice; null when it is not set."""
    caption_style: CaptionStyle | None
    """The style of its captions; null when it is not set."""
    revision: int
    """Its revision: 0 when never changed, then one higher with every change."""
    updated_at: str | None
    """When it was last changed; null when it never was."""


class BrandKitAnswer(Model):
    """The brand kit."""

    __slots__ = ()
    brand_kit: BrandKit
    """The brand kit."""
    families: list[str]
    """The font families that a font may have."""


class BrandLogo(Model):
    """A named logo."""

    __slots__ = ()
    name: str
    """Its name."""
    item_id: str
    """The image."""
    ref: str | None
    """The ref of that item, or its id when it has none; null when it is deleted."""
    item_deleted: bool
    """Whether the image is deleted."""


class BudgetLeft(Model):
    """What is left of a budget; null where there is no limit."""

    __slots__ = ()
    minutes: float | None
    """Cloud minutes."""
    credits: float | None
    """AI credits."""
    steps: int
    """Calls of tools, and requests to a model."""

BulkKindWord = Literal['resend_deliveries', 'rerun_reads']
"""What a bulk operation does."""


class BulkOperationAnswer(Model):
    """A bulk operation."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    kind: BulkKindWord
    """What it does."""
    state: BulkStateWord
    """How far it is."""
    total: int
    """The number of deliveries to endpoints that were enabled, or of failed reads, that matched when it was started."""
    done: int
    """The number of deliveries that it has sent again, or of reads that it has started again. It is above `total` if some
    that were under way at the start have failed since."""
    skipped: int
    """The number of deliveries that were counted and not sent: somebody else had sent them again meanwhile, or their
    endpoint was disabled or removed. Of reads, those that were not started: `skipped_for` says why."""
    skipped_for: list[SkippedFor]
    """How many failed reads were skipped for which reason; empty for deliveries."""
    estimated_minutes: float | None
    """The cloud minutes that were held for the failed reads which matched when it was started; null for deliveries."""
    since: str
    """Deliveries, or jobs of failed reads, created at or after this time."""
    until: str
    """Deliveries, or jobs of failed reads, created before this time."""
    account_id: str | None
    """Deliveries to endpoints of this account, or reads that it paid for; null for those of any."""
    endpoint_id: str | None
    """Deliveries to this endpoint; null for any."""
    status: Unarrived | None
    """Deliveries with this status; null for both."""
    event_type: Kind | None
    """Events of this type; null for any."""
    http_status: int | None
    """Deliveries whose last answer had this HTTP status; null for any."""
    error: str | None
    """Deliveries whose last attempt had this error; null for any."""
    pace: int | None
    """How many deliveries it sends each second; null for up to 500."""
    read: ReadKind | None
    """This read, run again; null for any, and for deliveries."""
    error_code: str | None
    """Reads that failed with this job error code; null for any, and for deliveries."""
    started_by: str
    """The name of the operator who started it."""
    stopped_by: str | None
    """The name of the operator who stopped it; null if nobody did."""
    created_at: str
    """When it was started."""
    ended_at: str | None
    """When it was stopped or had come to its end; null while it runs."""

BulkStateWord = Literal['running', 'stopped', 'finished']
"""How far a bulk operation is."""


class CalendarEntry(Model):
    """An entry of the calendar."""

    __slots__ = ()
    id: str
    """Its id."""
    title: str
    """Its title."""
    starts_at: str
    """When it starts."""
    ends_at: str | None
    """When it ends; null: the end is open."""
    items: list[CalendarItem]
    """The items that it is about."""
    channel: str | None
    """Where it will be published; null when nobody said."""
    note: str | None
    """A note; null when there is none."""
    status: CalendarStatus
    """Its progress."""
    created_at: str
    """When it was added."""
    updated_at: str
    """When it was last changed."""


class CalendarEntryAnswer(Model):
    """An entry of the calendar."""

    __slots__ = ()
    entry: CalendarEntry
    """The entry."""


class CalendarFeed(Model):
    """A calendar feed, without its URL."""

    __slots__ = ()
    id: str
    """Its id."""
    created_at: str
    """When it was made."""
    last_read_at: str | None
    """When a program last read it; null when none did."""


class CalendarFeedList(Model):
    """The workspace's calendar feeds."""

    __slots__ = ()
    feeds: list[CalendarFeed]
    """The feeds, newest first."""


class CalendarItem(Model):
    """An item that an entry is about."""

    __slots__ = ()
    item_id: str
    """The item."""
    ref: str | None
    """Its ref, or its id when it has none; null when it is deleted."""
    item_deleted: bool
    """Whether it is deleted."""


class CalendarPage(Model):
    """A page of the calendar."""

    __slots__ = ()
    entries: list[CalendarEntry]
    """The entries, the earliest first."""
    has_more: bool
    """Whether there are entries after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the entries after these; null on the last page."""

CalendarStatus = Literal['idea', 'planned', 'done']
"""The progress of a calendar entry."""


class CancelJobsAnswer(Model):
    """The outcome for each job."""

    __slots__ = ()
    jobs: list[CancelledJob]
    """The jobs, in the order of `job_ids`."""
    missing: list[str]
    """The requested ids that name no job of this workspace."""


class CancelJobsRequest(Model):
    """Which jobs to stop."""

    __slots__ = ()
    job_ids: list[str]
    """1 to 200 jobs."""

CancelOutcome = Literal['cancelled', 'cancelling', 'already_finished']
"""What a request to stop a job did to it."""


class CancelledJob(Model):
    """The outcome of a request to stop a job."""

    __slots__ = ()
    id: str
    """The job."""
    status: JobStatusWord
    """Its status now."""
    outcome: CancelOutcome
    """What the request did to it."""


class Canvas(Model):
    """A canvas."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    width: int
    """Its width, in pixels."""
    height: int
    """Its height, in pixels."""
    background: str | None
    """The background colour; null where it is transparent."""
    layers: list[CanvasLayer]
    """Its layers, the lowest first."""
    placeholders: list[str]
    """The names of the placeholders in its texts."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class CanvasAnswer(Model):
    """A canvas."""

    __slots__ = ()
    canvas: Canvas
    """The canvas."""


class CanvasLayer(Model):
    """A layer. Fields that its type does not have are absent."""

    __slots__ = ()
    id: str
    """Its id, unique in its canvas."""
    type: LayerType
    """The type of its content."""
    x: float
    """Its left edge, in pixels of the canvas."""
    y: float
    """Its upper edge, in pixels of the canvas."""
    width: float | None
    """Its width in pixels; the canvas's when absent."""
    height: float | None
    """Its height in pixels; the canvas's when absent."""
    rotation: float
    """Its clockwise rotation about its centre, in degrees."""
    opacity: float
    """Its opacity, 0 to 1."""
    radius: float | None
    """The radius of its corners, in pixels."""
    shadow: LayerShadow | None
    """Its shadow."""
    ref: str | None
    """The ref of an image's item, or its id when it has none; absent when the item is deleted."""
    item_id: str | None
    """The item of an image."""
    item_deleted: bool | None
    """Whether that item is deleted."""
    media_url: str | None
    """A link to its media; only `get_canvas` has it."""
    at: float | None
    """The time of the frame that is shown of a film, in seconds."""
    fit: LayerFit | None
    """How an image or a logo is fitted into the layer."""
    logo: str | None
    """The name of a logo of the brand kit."""
    color: str | None
    """The colour of a text, a rectangle or an ellipse."""
    colors: list[str] | None
    """The colours of a gradient, at equal distances."""
    shape: GradientWay | None
    """The shape of a gradient."""
    angle: float | None
    """The direction of a linear gradient, in degrees: 0 is to the right, 90 down."""
    text: str | None
    """The words of a text."""
    family: str | None
    """The font family of a text."""
    size: float | None
    """The font size, in pixels."""
    weight: int | None
    """The font weight, 100 to 900."""
    align: LineAlign | None
    """The alignment of lines; when absent, the side where the text's script begins."""
    max_width: float | None
    """The width at which lines are broken, in pixels."""
    line_height: float | None
    """The distance from one line to the next, in font sizes."""


class CanvasOp(Model):
    """One change to a canvas. A field that the operation does not take is refused."""

    __slots__ = ()
    op: CanvasOpKind
    """The operation."""
    type: LayerType | None
    """The type of a new layer."""
    background: str | None
    """The background colour; `transparent` for none."""
    layer_id: str | None
    """The layer's id. For a new layer: 1 to 64 letters, digits, `-` and `_`; one is generated when absent."""
    position: int | None
    """The layer's index, 0 being the lowest, counted without the layer that moves; the top when absent."""
    x: float | None
    """Its left edge, in pixels of the canvas."""
    y: float | None
    """Its upper edge, in pixels of the canvas."""
    width: float | None
    """Its width in pixels; the canvas's when absent. A text has `max_width` instead."""
    height: float | None
    """Its height in pixels; the canvas's when absent."""
    rotation: float | None
    """Its clockwise rotation about its centre, -360 to 360 degrees."""
    opacity: float | None
    """Its opacity, 0 to 1."""
    radius: float | None
    """The radius of the corners of an image, a logo, a rectangle or a gradient, in pixels."""
    shadow: LayerShadow | None
    """Its shadow."""
    ref: str | None
    """The item of an image layer, an image or a film: its ref, its id, or the id of the job that made it."""
    at: float | None
    """The time of the frame to show of a film, in seconds."""
    fit: LayerFit | None
    """How an image or a logo is fitted into the layer; `contain` when absent."""
    logo: str | None
    """The name of a logo of the brand kit."""
    color: str | None
    """The colour of a text, a rectangle or an ellipse: `#1a2b3c`, `#1a2b3c80`, or the name of a colour of the brand kit;
    black when absent."""
    colors: list[str] | None
    """The colours of a gradient, 2 to 8 at equal distances."""
    shape: GradientWay | None
    """The shape of a gradient; `linear` when absent."""
    angle: float | None
    """The direction of a linear gradient, in degrees: 0 is to the right, 90 down."""
    text: str | None
    """The words of a text, 1 to 2,000 characters. `{name}` is a placeholder; `{{` and `}}` are literal braces."""
    family: str | None
    """The font family of a text, one that `get_brand_kit` lists or the name of a font of the brand kit; `DejaVu Sans` when
    absent."""
    size: float | None
    """The font size, 1 to 2000 pixels; 48 when absent."""
    weight: int | None
    """The font weight, 100 to 900; 400, which is regular, when absent. 700 is bold."""
    align: LineAlign | None
    """The alignment of lines; when absent, the side where the text's script begins."""
    max_width: float | None
    """The width at which lines are broken, in pixels; 0, and when absent: lines are not broken."""
    line_height: float | None
    """The distance from one line to the next, 0.5 to 4 font sizes; 1.2 when absent."""

CanvasOpKind = Literal['add_layer', 'update_layer', 'move_layer', 'remove_layer', 'set_canvas']
"""The kinds of operations."""


class CanvasPage(Model):
    """A page of the workspace's canvases."""

    __slots__ = ()
    canvases: list[ListedCanvas]
    """The canvases, newest first."""
    has_more: bool
    """Whether there are canvases after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the canvases after these; null on the last page."""

CaptionOrigin = Literal['transcripts', 'cues']
"""The sources of captions."""

CaptionPosition = Literal['top', 'middle', 'bottom']
"""The position of captions in the picture."""


class CaptionStyle(Model):
    """The style of captions. An absent field has the renderer's default."""

    __slots__ = ()
    family: str | None
    """One of the `families` that `get_brand_kit` lists."""
    size: float | None
    """The font size, as a part of the picture's height: 0.01 to 0.25."""
    color: str | None
    """The letters' colour, such as `#ffffff`."""
    background: str | None
    """The colour behind the letters, such as `#000000`."""
    position: CaptionPosition | None
    """The captions' position in the picture."""


class CaptionText(Model):
    """The captions of a timeline."""

    __slots__ = ()
    source: CaptionOrigin
    """Their source."""
    cues: list[CueText] | None
    """The cues, when `source` is `cues`: at most 2,000, in order, without overlaps."""
    burn: bool | None
    """Whether a render draws them into its picture."""
    style: TextLook | None
    """The style in which they are drawn. Absent fields have the value of the settings' `caption_style`, or else of the brand
    kit's."""
    position: CaptionPosition | None
    """Their position in the picture; when absent that of the settings or the brand kit, or else `bottom`."""
    language: str | None
    """Their language, such as `en`."""

CarryFormat = Literal['otio', 'edl', 'srt', 'vtt']
"""The formats for exchanging timelines with other programs."""


class ChangeAccount(Model):
    """What to change in an account."""

    __slots__ = ()
    name: str
    """The new name."""


class ChangeAnyWebhook(Model):
    """What to change in an endpoint. Absent fields change nothing."""

    __slots__ = ()
    enabled: bool | None
    """Whether events are sent. Enabling a disabled endpoint clears its count of failures. `false` for one that is disabled
    already makes its reason `operator`, and it stays disabled when its account is resumed."""
    test: bool | None
    """`true` sends one ping now, after the change, also to a disabled endpoint."""


class ChangeProjectSettings(Model):
    """A project's settings."""

    __slots__ = ()
    webhook_url: str | None
    """The URL to send its changes of status to from now on; null: none is sent. Required."""


class ChangeProjectStatus(Model):
    """What the agent that works on a project reports. Absent fields keep their values."""

    __slots__ = ()
    status: ReportedStatus
    """The new status."""
    agent_message: str | None
    """A message to those who wait; null removes it."""
    assets: list[ProjectAsset] | None
    """All assets of the project from now on."""
    timeline: ProjectTimeline | None
    """The timeline from now on; null removes it."""
    assembled_url: str | None
    """The http or https URL of the result; null removes it."""
    assembled_url_expires_at: str | None
    """When that URL expires; null removes it."""


class ChangeRead(Model):
    """What to change in a read."""

    __slots__ = ()
    paused: bool
    """`true`: its jobs do not start, and calls for it are answered `held` with `reads_paused`. `false`: they start again."""


class ChangeUser(Model):
    """What to change in a user. Absent fields keep their values."""

    __slots__ = ()
    name: str | None
    """A new name."""
    oauth_subject: str | None
    """The `sub` of the access tokens that stand for them from now on; null: no token does."""
    oauth_issuer: str | None
    """The issuer of those tokens; `MWS_OAUTH_ISSUER` when not given."""
    disabled: bool | None
    """`true` refuses them everywhere from now on, ends their sessions and revokes the keys that they made; `false` admits
    them again, but restores neither."""


class ChangeWebhook(Model):
    """What to change in an endpoint. Absent fields keep their values."""

    __slots__ = ()
    url: str | None
    """A new URL. Attempts that are still to come use it too."""
    description: str | None
    """A new description; null removes it."""
    event_types: list[Subscribed] | None
    """The event types to send."""
    kinds: list[JobKindWord] | None
    """The kinds of jobs whose events to send; null means all."""
    enabled: bool | None
    """Whether events are sent. Enabling a disabled endpoint clears its count of failures."""
    test: bool | None
    """`true` sends one ping now, also to a disabled endpoint."""


class ChangeWorkspace(Model):
    """What to change in a workspace. Absent fields keep their values."""

    __slots__ = ()
    name: str | None
    """A new name."""
    is_default: bool | None
    """`true` makes it its account's default, instead of the previous one. To undo that, make another one the default."""


class CloudProcessing(Model):
    """`CloudProcessing` object (contract §2). All amounts are minutes with at most two decimals."""

    __slots__ = ()
    ran_on: RanOn
    """Always `cloud`."""
    minutes: float
    """The estimate for this call."""
    charged_minutes: float
    """Charged for work that finished inside the call."""
    queued_minutes: float
    """Work still queued; charged when it finishes."""
    left_minutes: float
    """The month's minutes left after `held_minutes`."""
    held_minutes: float
    """Held by running work until it settles."""
    bought_minutes: float
    """Purchased minutes."""
    note: str | None
    """What the numbers mean, in words."""


class Comment(Model):
    """A comment on an item or a timeline."""

    __slots__ = ()
    id: str
    """Its id."""
    item_id: str | None
    """The item; null when the comment is on a timeline."""
    timeline_id: str | None
    """The timeline; null when the comment is on an item."""
    reply_to: str | None
    """The comment that began the thread; null when this one began it."""
    text: str
    """Its text: plain text, never HTML."""
    at: float | None
    """The time that the comment is about, in seconds; null when it is about the whole."""
    until: float | None
    """The end of the stretch that it is about, in seconds; null when there is none."""
    region: CommentRegion | None
    """The part of the picture that it is about; null when it is about all of it."""
    author: CommentAuthor
    """Its author."""
    resolved_at: str | None
    """When somebody resolved it; null while it is unresolved."""
    created_at: str
    """When it was written."""
    updated_at: str
    """When its text, or whether it is resolved, last changed."""


class CommentAnswer(Model):
    """A comment."""

    __slots__ = ()
    comment: Comment
    """The comment."""


class CommentAuthor(Model):
    """The author of a comment."""

    __slots__ = ()
    type: AuthorKind
    """The kind of author."""
    id: str | None
    """The id of the user, of the key, or of the public link that a guest came by."""
    name: str | None
    """The author's name, or null."""


class CommentPage(Model):
    """A page of comments."""

    __slots__ = ()
    comments: list[Comment]
    """The comments, newest first."""
    has_more: bool
    """Whether there are comments after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the comments after these; null on the last page."""


class CommentRegion(Model):
    """A rectangle of the picture, in fractions of its width and height from its upper left corner."""

    __slots__ = ()
    x: float
    """Its left edge, 0 to 1."""
    y: float
    """Its upper edge, 0 to 1."""
    width: float
    """Its width; `x` + `width` is at most 1."""
    height: float
    """Its height; `y` + `height` is at most 1."""


class ConsoleLink(Model):
    """A link to the console."""

    __slots__ = ()
    path: str
    """The path of the link: append it to the address at which you reach the service. It can be used once."""
    url: str
    """The link at the service's public URL."""
    expires_at: str
    """When it expires."""


class Cost(Model):
    """Cost object (contract §2). All amounts are AI credits with at most two decimals."""

    __slots__ = ()
    credits: float
    """The estimate for this call; 0 where it costs none."""
    held_credits: float | None
    """Held by running work until it settles; present for a call that may cost credits."""
    left_credits: float | None
    """What the account has left after `held_credits`; present for a call that may cost credits."""


class CostEstimate(Model):
    """The cost of a call."""

    __slots__ = ()
    tool: str
    """The tool."""
    minutes: float
    """Minutes that the call would hold."""
    credits: float
    """AI credits that the call would hold."""
    minutes_per_imported_minute: float | None
    """Minutes that the reads of an item that the call imports would hold for each minute of the item, once it is fetched and
    its length is known; null for a call that imports nothing."""
    answer: dict[str, Any]
    """The answer of the call in a dry run; empty for a call that costs nothing."""


class CreateBoard(Model):
    """A board to create."""

    __slots__ = ()
    name: str
    """Its name, 1 to 200 characters."""


class CreateCanvas(Model):
    """A canvas to create."""

    __slots__ = ()
    name: str | None
    """Its name, 1 to 200 characters; `Canvas` when not given."""
    width: int
    """Pixels across, 1 to 8192."""
    height: int
    """Pixels down, 1 to 8192."""
    background: str | None
    """The background colour, in the form of a layer's `color`; `transparent` when not given."""
    layers: list[NewLayer] | None
    """Its layers, the lowest first, at most 200."""


class CreateKey(Model):
    """A key to create."""

    __slots__ = ()
    name: str | None
    """Your name for it."""
    workspace_id: str | None
    """The workspace in which it will work, one that the account owns; its default workspace when not given."""


class CreatePortalSession(Model):
    """A link to make."""

    __slots__ = ()
    pages: list[PortalPage] | None
    """The pages that the link opens; all when not given."""
    return_url: str | None
    """The URL to which the pages lead back, also after the session has ended: http or https."""
    refresh_url: str | None
    """The URL to which a browser is sent once the session has run out, where your application makes another link: http or
    https, and no page of the portal itself."""
    theme: PortalTheme | None
    """The look of the pages."""


class CreateProject(Model):
    """A project to create."""

    __slots__ = ()
    brief: str
    """The task, in words: 1 to 20000 characters, not all of them blanks."""
    mode: ProjectMode | None
    """Who works on it; `autonomous` when not given."""
    output_type: ProjectOutputType | None
    """The kind of result; `assembled` when not given."""
    webhook_url: str | None
    """The URL to send its changes of status to: HTTPS, and publicly reachable."""
    budget: ProjectBudget | None
    """What the agent may use. At the limit the project becomes `idle`, and `agent_message` asks for more."""


class CreatePublicLink(Model):
    """A public link to make."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    expires_in: int | None
    """Seconds that the link works, 60 to 7,776,000 (90 days); 2,592,000 (30 days) when not given."""
    rights: list[LinkRight] | None
    """What its visitors may do besides seeing the item; nothing when not given."""
    passphrase: str | None
    """A passphrase that visitors must enter first, 4 to 200 characters. Only its hash is kept, and nothing shows it."""


class CreateSecret(Model):
    """Whether to make a new secret."""

    __slots__ = ()
    rotate: bool | None
    """`true` issues a new secret while the old one keeps verifying for 24 hours."""


class CreateTimeline(Model):
    """A timeline to create."""

    __slots__ = ()
    name: str
    """Its name, 1 to 200 characters."""
    ops: list[TimelineOp] | None
    """Operations to apply at once, as in `edit_timeline`. By default it is 1920 × 1080 at 25 frames per second."""


class CreateUpload(Model):
    """A file to send, or a URL to fetch one from."""

    __slots__ = ()
    filename: str | None
    """The file's name. Required with `bytes`; with `url` it becomes the item's name."""
    content_type: str | None
    """The file's media type, such as `video/mp4`. Required with `bytes`."""
    bytes: int | None
    """The length of the file in bytes. Required unless `url` is given."""
    sha256: str | None
    """The SHA-256 of those bytes in hexadecimal; when given, `complete` refuses other bytes."""
    url: str | None
    """The URL to fetch the file from instead: HTTPS and publicly reachable, as each of up to five redirects must be."""
    ref: str | None
    """The item's ref, unique in the workspace; clients use its id when none is given."""
    reads: list[ReadKind] | None
    """Reads to start once the item is ready, as `prepare_media` would then; the item's `reads_on_ready` says what became of
    each. When not given, those of the workspace's settings."""


class CreateWebhook(Model):
    """An endpoint to register."""

    __slots__ = ()
    url: str
    """The URL to send events to: HTTPS, and publicly reachable."""
    description: str | None
    """Your description of it."""
    event_types: list[Subscribed] | None
    """The event types to send; all three when not given."""
    kinds: list[JobKindWord] | None
    """The kinds of jobs whose events to send; when not given all, including kinds that are added later."""


class CreatedCalendarFeed(Model):
    """A calendar feed that was just made."""

    __slots__ = ()
    feed: CalendarFeed
    """The feed."""
    url: str
    """Its URL, which only this answer shows. Whoever has it can read the calendar."""


class CreatedKey(Model):
    """A key that was just created."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str | None
    """Your name for it, or null."""
    prefix: str
    """Its first characters, to recognize it by."""
    workspace_id: str
    """The workspace in which it works."""
    created_at: str
    """When it was created."""
    last_used_at: str | None
    """Always null: it has not been used yet."""
    created_by: str | None
    """The id of the user or the key that made it; null if the operator did."""
    key: str
    """The key: `es_live_` and 32 hexadecimal characters. Only this answer shows it."""


class CreatedPublicLink(Model):
    """A link that was just made."""

    __slots__ = ()
    link: PublicLink
    """The link."""
    url: str
    """The URL of its page, which only this answer shows. Whoever has it can see the item."""


class CreditSums(Model):
    """AI credits before a month, by how much all of its entries changed them, and after it. Held ones are counted in."""

    __slots__ = ()
    before: float
    """Before the month."""
    change: float
    """The sum of all entries of the month."""
    after: float
    """After them."""


class CreditsAnswer(Model):
    """The account's balance of AI credits, with at most two decimals."""

    __slots__ = ()
    left: float
    """Credits that are left for new work."""
    held: float
    """Credits held for work that has not ended."""
    used: float
    """Credits charged since the account was opened."""


class CueText(Model):
    """A caption. Times are seconds."""

    __slots__ = ()
    start: float
    """When it appears."""
    end: float
    """When it disappears."""
    text: str
    """Its text, 1 to 500 characters. Line feeds are the only control characters that it may have."""


class CutOut(Model):
    """A picture or a film whose background to remove."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    color: str | None
    """The background's colour, such as `#00ff00`, which is the default. Not with `model`."""
    similarity: int | None
    """How far a background pixel may be from that colour, 1 to 100 hundredths; 30 when not given. Not with `model`."""
    model: str | None
    """The model, by its id; when not given `chroma-key`, which is built in, costs no credits and goes by the colour."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` returns what the call would cost, and starts nothing."""


class DeleteCalendarEntry(Model):
    """Which entry."""

    __slots__ = ()
    entry_id: str
    """The entry."""


class Deleted(Model):
    """The answer of a route that removes something."""

    __slots__ = ()
    deleted: Literal[True]
    """Always true."""


class DeletedBoard(Model):
    """The board that was deleted."""

    __slots__ = ()
    board_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class DeletedCalendarEntry(Model):
    """The entry that was deleted."""

    __slots__ = ()
    entry_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class DeletedCanvas(Model):
    """The canvas that was deleted."""

    __slots__ = ()
    canvas_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class DeletedComment(Model):
    """The comment that was deleted."""

    __slots__ = ()
    comment_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class DeletedDub(Model):
    """The dub that was deleted."""

    __slots__ = ()
    dub_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class DeletedItem(Model):
    """The item that was deleted."""

    __slots__ = ()
    item_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class DeletedPost(Model):
    """The post that was deleted."""

    __slots__ = ()
    post_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class DeletedSkill(Model):
    """The skill that was deleted."""

    __slots__ = ()
    name: str
    """Its name."""
    deleted: Literal[True]
    """Always true."""


class DeletedTemplate(Model):
    """The template that was deleted."""

    __slots__ = ()
    name: str
    """Its name."""
    deleted: Literal[True]
    """Always true."""


class DeletedTimeline(Model):
    """The timeline that was deleted."""

    __slots__ = ()
    timeline_id: str
    """Its id."""
    deleted: Literal[True]
    """Always true."""


class Delivery(Model):
    """A delivery: one event for one endpoint, with every attempt (contract §2, "delivery")."""

    __slots__ = ()
    delivery_id: str
    """Its id."""
    endpoint_id: str
    """The endpoint that it goes to."""
    event_id: str
    """The event's id, as in `Service-Delivery`."""
    event_type: Kind
    """The event's type, as in `Service-Event`."""
    job_id: str | None
    """The job, or null for a ping."""
    workspace_id: str | None
    """The job's workspace, or null for a ping."""
    status: Status
    """Its status."""
    trigger: Why
    """Why it is sent."""
    resend_of: str | None
    """The delivery that it repeats, or null."""
    attempt_count: int
    """The number of attempts, including one that is under way."""
    next_attempt_at: str | None
    """When the next attempt is due, or null."""
    response_status: int | None
    """The receiver's last HTTP status, or null."""
    error: str | None
    """The error of the last attempt, or null: one of the words in `attempts`."""
    created_at: str
    """When it was created."""
    finished_at: str | None
    """When it ended, or null."""
    attempts: list[Attempt]
    """Every attempt, in order. An attempt that a crash interrupted has the same number as the one that replaced it."""


class DeliveryDetail(Model):
    """A delivery, with the requests that were sent."""

    __slots__ = ()
    delivery_id: str
    """Its id."""
    endpoint_id: str
    """The endpoint that it goes to."""
    event_id: str
    """The event's id, as in `Service-Delivery`."""
    event_type: Kind
    """The event's type, as in `Service-Event`."""
    job_id: str | None
    """The job, or null for a ping."""
    workspace_id: str | None
    """The job's workspace, or null for a ping."""
    status: Status
    """Its status."""
    trigger: Why
    """Why it is sent."""
    resend_of: str | None
    """The delivery that it repeats, or null."""
    attempt_count: int
    """The number of attempts, including one that is under way."""
    next_attempt_at: str | None
    """When the next attempt is due, or null."""
    response_status: int | None
    """The receiver's last HTTP status, or null."""
    error: str | None
    """The error of the last attempt, or null: a word as in the list of deliveries."""
    created_at: str
    """When it was created."""
    finished_at: str | None
    """When it ended, or null."""
    attempts: list[SentAttempt]
    """Every attempt, in order, with the request that was sent."""
    request_body: Any
    """The body that every attempt sends, or null once it is no longer kept."""


class DubAnswer(Model):
    """A dub."""

    __slots__ = ()
    dub: DubDocument
    """The dub."""


class DubDocument(Model):
    """A dub. Times are seconds."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    output_revision: int | None
    """The revision that was last spoken; null when none was."""
    stale: bool
    """Whether the dub changed since then: `render_dub` speaks the changes."""
    ref: str | None
    """The ref of the item that is dubbed, or its id when it has none; null when it is deleted."""
    item_id: str
    """The item that is dubbed."""
    source_timeline_id: str | None
    """The timeline that the item is the film of; null when an item was dubbed, and when the timeline is deleted."""
    source_language: str | None
    """The language that is spoken in the item; null when a script was given without it."""
    target_language: str
    """The language that it is dubbed into."""
    keep_background: bool
    """Whether the item's own sound is heard under the voices."""
    output_item_id: str | None
    """The item that was last made of it; null when there is none, or when it is deleted."""
    voice_item_id: str | None
    """The item with the voices of that alone; null when there is none, or when it is deleted."""
    timeline_id: str | None
    """Its timeline; null when there is none, or when it is deleted."""
    segments: list[DubSegment]
    """Its segments, in the order of their starts."""
    warnings: list[str]
    """What is not spoken of them, in whole sentences."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class DubOp(Model):
    """One change to a dub. A field that the operation does not take is refused."""

    __slots__ = ()
    op: DubOpKind
    """The operation."""
    segment_id: str | None
    """The segment's id. For a new one: 1 to 64 letters, digits, `-` and `_`; one is generated when absent."""
    start: float | None
    """When the segment begins, in seconds."""
    end: float | None
    """When the segment ends, in seconds."""
    translation: str | None
    """The words to speak, at most 1,000 characters; when it is empty or blank, the segment is silent."""
    voice: str | None
    """The voice, by its engine's name for it."""
    speaker: str | None
    """The speaker's name."""
    keep: bool | None
    """Whether the item's own sound is heard under the voices."""

DubOpKind = Literal['add_segment', 'update_segment', 'remove_segment', 'set_voice', 'set_background']
"""The kinds of operations."""


class DubPage(Model):
    """A page of the workspace's dubs."""

    __slots__ = ()
    dubs: list[ListedDub]
    """The dubs, newest first."""
    has_more: bool
    """Whether there are dubs after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the dubs after these; null on the last page."""


class DubSegment(Model):
    """A segment of a dub: the words of one speaker."""

    __slots__ = ()
    id: str
    """Its id, unique in its dub."""
    start: float
    """When it begins, in seconds."""
    end: float
    """When it ends, in seconds."""
    speaker: str
    """The speaker's name."""
    source: str | None
    """The words in the item's own language; null when they are not known."""
    translation: str
    """The words to speak instead."""
    voice: str
    """The voice that speaks it."""
    overflow: float | None
    """Seconds that its speech goes on after its end, although it is spoken as fast as allowed; 0 when it fits, null when the
    current segment has not been spoken."""


class DubStanding(Model):
    """The state of a dub."""

    __slots__ = ()
    ref: str | None
    """The ref or id that the request named; only when a read of the item is missing."""
    item_id: str | None
    """The item that is dubbed; absent while a timeline's film is missing."""
    source_timeline_id: str | None
    """The timeline that is dubbed, if one is."""
    timeline_revision: int | None
    """The revision of that timeline which this call is for; absent in answers of `render_dub`. Name it in the next call."""
    status: NeedStatus
    """`ready`, `queued`, or `startable` in a dry run."""
    job_id: str | None
    """The job that dubs, that computes a missing read, or that renders a missing film; only when queued. Follow it with
    `get_jobs`. When it does not dub, call again once it has ended."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    estimated_credits: float | None
    """AI credits held for that job, or that would be held; only when a provider's model translates."""
    translator: str | None
    """The provider's model that translates it; absent when the built-in engine does, and when nothing is translated."""
    dub_id: str | None
    """The dub; once it exists."""
    timeline_id: str | None
    """The dub's own timeline; only when ready, and unless it was deleted."""
    output_item_id: str | None
    """The dubbed item; only when ready."""
    segments: int | None
    """The number of segments to speak; only when it is known."""
    quality: str | None
    """`draft`: simple engines speak it, and translate it unless `translator` does."""
    warnings: list[str] | None
    """What is not spoken of the segments, in whole sentences; absent when nothing is known to be left out. Of what is
    translated the dub tells it (`get_dub`)."""


class DuckAnswer(Model):
    """The gains of the music, or the job that computes the voice's speech; with `render`, also the new item's state."""

    __slots__ = ()
    ref: str
    """The ref or id of the voice that the request named."""
    item_id: str
    """The voice's item."""
    music_item_id: str | None
    """The music's item; only once the speech read is stored."""
    status: NeedStatus
    """Whether everything that was asked for is ready."""
    job_id: str | None
    """The job to follow with `get_jobs`; only when queued. Without `envelope` it computes the speech read: call again when
    it has ended. With `envelope` it is the render."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    envelope: list[GainAt] | None
    """The gain of the music at increasing times, from 0 to the voice's end, at most 4000 points; only once the speech read
    is stored."""
    output_item_id: str | None
    """The rendered item; only when asked for and ready."""
    timeline_id: str | None
    """The timeline that was made; only when asked for."""


class DuckMusic(Model):
    """A voice, the music under it, and how far to turn that down."""

    __slots__ = ()
    voice_ref: str
    """The item in which somebody speaks: its ref, its id, or the id of the job that made it."""
    music_ref: str
    """The item whose sound is the music, by any of the same."""
    duck_db: float | None
    """Decibels that the music goes down under speech, 0 to 60; when not given, the value of the settings, or else 12."""
    attack_ms: int | None
    """Milliseconds that the fall takes, 10 to 10000; 200 when not given."""
    release_ms: int | None
    """Milliseconds that the rise takes, 10 to 10000; 500 when not given."""
    render: bool | None
    """Whether to mix both into a new item; false when not given."""
    timeline: bool | None
    """Whether to make a timeline of it, which can be edited, exported and rendered; false when not given. Not with `render`."""
    dry_run: bool | None
    """`true` returns what the call would start and hold, and starts nothing: the read, or the render once the read is
    stored."""


class EditBoard(Model):
    """What to change in a board."""

    __slots__ = ()
    board_id: str
    """The board."""
    if_revision: int | None
    """The revision that the change is for. If the board has another one: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[BoardOp] | None
    """The operations, 1 to 500; may be absent if `name` is given."""


class EditCanvas(Model):
    """What to change in a canvas."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    if_revision: int | None
    """The revision that the change is for. If the canvas has another one: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[CanvasOp] | None
    """The operations, 1 to 500; may be absent if `name` is given."""


class EditDub(Model):
    """What to change in a dub."""

    __slots__ = ()
    dub_id: str
    """The dub."""
    if_revision: int | None
    """The revision that the change is for. If the dub has another one: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[DubOp] | None
    """The operations, 1 to 500, applied in order, all of them or none."""


class EditTimeline(Model):
    """What to change in a timeline."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    if_revision: int | None
    """The revision that the change is for. If the timeline has another one: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[TimelineOp] | None
    """The operations, 1 to 500; may be absent if `name` is given."""


class ErasedAnswer(Model):
    """The numbers of things that were erased now. Things that were erased before are not counted again."""

    __slots__ = ()
    erased: bool
    """Always true."""
    workspaces: int
    """The number of workspaces."""
    items: int
    """The number of items. Their bytes are deleted once no job reads them."""
    projects: int
    """The number of projects."""


class Estimate(Model):
    """The minutes that a call held, and those that are left (contract §4.2.7)."""

    __slots__ = ()
    minutes: float
    """Cloud minutes held for the jobs that this call started; with `dry_run`, for those that it would start."""
    left_minutes: float
    """The month's minutes that are left after all holds."""
    bought_minutes: float
    """Purchased minutes that are left."""
    resets_at: str
    """When the next month's minutes are granted."""


class EstimateCost(Model):
    """A call whose cost to estimate."""

    __slots__ = ()
    tool: str
    """The tool."""
    arguments: dict[str, Any]
    """The arguments that the call would have."""


class ExportTimeline(Model):
    """Which timeline to export, and how."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    format: CarryFormat
    """The format of the document."""


class ExportedTimeline(Model):
    """A timeline for another editor."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    revision: int
    """The revision that was exported."""
    format: CarryFormat
    """The format of the document."""
    content: str
    """The document."""
    warnings: list[str]
    """What the document lacks of the timeline, in whole sentences."""


class FailedReads(Model):
    """Failed reads that could be run again."""

    __slots__ = ()
    since: str
    """Reads whose job was created at or after this time."""
    until: str
    """Reads whose job was created before this time."""
    count: int
    """How many there are."""
    estimated_minutes: float
    """The cloud minutes that were held for them when they were started. As many are held again, unless the rates have
    changed; a read that can't be held is skipped, and one that succeeds is charged no more than was held for it."""
    accounts: list[FailedReadsOfAccount]
    """By the account that paid, which pays again; the one with the most first."""


class FailedReadsOfAccount(Model):
    """The failed reads that one account paid for."""

    __slots__ = ()
    account_id: str
    """The account, which pays for running them again."""
    count: int
    """How many there are."""
    estimated_minutes: float
    """The cloud minutes that were held for them."""


class FootageMatch(Model):
    """Words that are spoken or shown in an item."""

    __slots__ = ()
    ref: str
    """The item's ref, or its id when it has none."""
    item_id: str
    """The item."""
    start: float
    """When the first of the words begins, in seconds."""
    end: float
    """When the last of the words ends, in seconds."""
    score: float
    """How well it fits, 0 to 1."""
    text: str
    """The words, with some of the text around them."""
    source: WordSource
    """Whether the words are spoken or written."""
    moment: MomentSpan | None
    """The moment (shot) in which it begins; absent for sound, and when no search index is stored."""
    thumbnail_url: str | None
    """A still of that moment, a JPEG: this link needs no credential and is valid for at least an hour. Absent when there is
    no still."""


class FootageMatches(Model):
    """The matches, and the items that were not searched."""

    __slots__ = ()
    matches: list[FootageMatch]
    """The best first; empty when nothing like the query is spoken or shown."""
    unindexed_refs: list[str]
    """Videos without a stored search index: their written words were not searched, and their matches have no moment and no
    still. Newest first and at most 50: of `refs`, or else of the workspace's newest 2,000 items. Read `search_index`
    on them with `prepare_media`. Items for which a search index is of no use, such as sound alone, are not named."""
    untranscribed_refs: list[str]
    """Items with sound but without a stored transcript: their spoken words were not searched. Newest first and at most 50,
    of the same items. Read `transcript` on them."""


class FootageSearch(Model):
    """The words to look for, and where."""

    __slots__ = ()
    query: str
    """Words that are spoken or shown, 1 to 500 characters. All of them must occur; `"…"` keeps words together, `or` accepts
    either of two, `-` excludes a word."""
    refs: list[str] | None
    """Search these items alone, at most 20, each by its ref, its id, or the id of the job that made it."""
    limit: int | None
    """The number of matches, 1 to 50; 10 when not given."""


class GainAt(Model):
    """The gain at one time."""

    __slots__ = ()
    t: float
    """Seconds from the voice's start."""
    gain_db: float
    """The gain in decibels: 0 leaves the music unchanged."""


class GenerateAudio(Model):
    """Text to speak, or sound to generate from a text: exactly one of `text` and `prompt`."""

    __slots__ = ()
    text: str | None
    """The words to speak."""
    prompt: str | None
    """A description of the sound, such as music."""
    voice: str | None
    """The voice, by the model's name for it."""
    language: str | None
    """The language of the text, such as `en` or `es`. When not given: if `voice` and `model` are not given either,
    `default_language` of the settings, otherwise English."""
    model: str | None
    """The model, by its id. When not given: for a text a built-in engine that costs no credits (`flite` for English,
    otherwise `espeak-ng`), for a prompt the first sound model. `list_models` lists them."""
    seconds: int | None
    """The duration of sound from a prompt, in seconds; 5 when not given."""
    seed: int | None
    """A number that varies the result: the same call makes the same item once."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` returns what the call would cost, and starts nothing."""


class GenerateImage(Model):
    """A picture to generate from a text."""

    __slots__ = ()
    prompt: str
    """A description of what the picture shows."""
    model: str | None
    """The model, by its id; the first picture model when not given. `list_models` lists them."""
    width: int | None
    """Its width in pixels, 64 to 8192; only with `height`."""
    height: int | None
    """Its height in pixels, 64 to 8192; only with `width`."""
    seed: int | None
    """A number that varies the result: the same call makes the same item once."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` returns what the call would cost, and starts nothing."""


class GenerateVideo(Model):
    """A film to generate from a text."""

    __slots__ = ()
    prompt: str
    """A description of what the film shows."""
    ref: str | None
    """The picture that the film begins with: an item's ref, its id, or the id of the job that made it."""
    model: str | None
    """The model, by its id; the first film model when not given. `list_models` lists them."""
    seconds: int | None
    """The film's duration, in seconds; 5 when not given."""
    width: int | None
    """Its width in pixels, 64 to 8192; only with `height`."""
    height: int | None
    """Its height in pixels, 64 to 8192; only with `width`."""
    seed: int | None
    """A number that varies the result: the same call makes the same item once."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` returns what the call would cost, and starts nothing."""


class GenerationAnswer(Model):
    """The state of a generation."""

    __slots__ = ()
    status: NeedStatus
    """`ready` when its item exists, `queued` while a job makes it, `startable` in a dry run."""
    job_id: str | None
    """The job that makes it: follow it with `get_jobs`."""
    estimated_minutes: float | None
    """Minutes held for it."""
    estimated_credits: float | None
    """AI credits held for it."""
    output_item_id: str | None
    """The generated item."""
    model: str
    """Its maker: a model's id, or the name of a built-in engine."""
    synthetic: bool
    """Whether it is synthetic: generated by a machine."""
    quality: str | None
    """`draft` when a simple engine makes it."""
    warnings: list[str] | None
    """What is not spoken of the text, in whole sentences; absent when nothing is known to be left out."""


class GetItem(Model):
    """Which item, and whether to wait for it."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    wait_seconds: int | None
    """Wait up to 30 seconds while the item is in `processing`."""


class GetJobsRequest(Model):
    """Which jobs to return: by id, or by filters."""

    __slots__ = ()
    job_ids: list[str] | None
    """1 to 200 jobs; not together with filters."""
    status: list[JobStatusWord] | None
    """Only jobs in these statuses."""
    kind: list[JobKindWord] | None
    """Only jobs of these kinds."""
    ref: str | None
    """Only jobs of this item: its ref, its id, or the id of the job that made it."""
    created_after: str | None
    """Only jobs created after this time."""
    cursor: str | None
    """`next_cursor` of the page before."""
    limit: int | None
    """Jobs a page, 1 to 100; 20 when not given. Only with filters."""
    wait_seconds: int | None
    """With `job_ids`: seconds to wait, at most 30, for what `wait_for` says. Jobs that had ended before the call are not
    waited for: repeated, the call waits while jobs are live, and answers at once when none is."""
    wait_for: WaitFor | None
    """`any`: wait until one of the jobs that were live when the call began has ended; `all`: until all of them have. `any`
    when not given."""


class GiveCredits(Model):
    """Credits to give, or to take back."""

    __slots__ = ()
    kind: GivingCredits
    """The kind of change."""
    credits: float
    """The number of credits, with at most two decimals."""
    note: str | None
    """The reason, for the journal."""
    reference: str | None
    """Your own name for this change, such as an invoice's number; required for a purchase. An account counts each reference
    once, so that a request can be sent again; its minutes and credits share these names."""


class GiveMinutes(Model):
    """Minutes to give."""

    __slots__ = ()
    kind: Giving
    """The kind of giving."""
    minutes: float
    """The number of minutes, with at most two decimals."""
    note: str | None
    """The reason, for the journal."""
    reference: str | None
    """Your own name for this grant or purchase, such as an invoice's number; required for a purchase. An account counts each
    reference once, so that a request can be sent again."""


class GivenCredits(Model):
    """The result of giving credits."""

    __slots__ = ()
    applied: bool
    """False if the reference had counted before: nothing was changed again."""
    changed_credits: float
    """The change of the credits, below zero if some were taken back; if the reference had counted before, the change that it
    made then."""
    balances: BalancesAnswer
    """The account's balances now."""


class GivenMinutes(Model):
    """The result of giving minutes."""

    __slots__ = ()
    applied: bool
    """False if the reference had counted before: nothing was given again."""
    given_minutes: float
    """The number of minutes that were given; if the reference had counted before, the number that it gave then."""
    balances: BalancesAnswer
    """The account's balances now."""

Giving = Literal['grant', 'purchase', 'allowance']
"""The kinds of giving minutes."""

GivingCredits = Literal['grant', 'purchase', 'withdraw']
"""The kinds of changes of an account's credits."""

GradientWay = Literal['linear', 'radial']
"""The shape of a gradient."""

HealthAxis = Literal['flow', 'execution', 'delivery', 'money', 'liveness']
"""The axes of the service's health."""


class HealthFinding(Model):
    """The health on one axis."""

    __slots__ = ()
    axis: HealthAxis
    """The axis."""
    state: HealthState
    """Its state."""
    sentence: str
    """The finding, as one sentence."""
    numbers: list[HealthNumber]
    """The numbers behind it, at most three."""
    next: str | None
    """The command that helps next; null when nothing is to be done."""
    also: list[HealthTrouble]
    """The axis's other troubles, the worst first; empty when there are none."""


class HealthInvariant(Model):
    """A rule that must hold of the rows at every moment."""

    __slots__ = ()
    name: str
    """Its name."""
    axis: HealthAxis
    """The axis that it is part of."""
    says: str
    """The rule, as one sentence."""
    covers: str
    """Which rows a check looks at."""
    outcome: InvariantOutcome | None
    """The outcome of its last check; null until one has ended."""
    passed_seconds: float | None
    """Seconds since a check last passed; null if none has."""
    failed_seconds: float | None
    """Seconds since a check last failed; null if none has."""
    broken: int
    """The number of rows that broke it when it last failed; counts end at 100."""
    sample: list[str]
    """The ids of some of those rows, at most five; they are kept when a later check passes."""


class HealthLoad(Model):
    """What waits and runs, and who works. Counts end at 2,000."""

    __slots__ = ()
    tasks: list[HealthTask]
    """The tasks that are paused, or of which a job waits, runs, or ended within 15 minutes, ordered by name."""
    pending_deliveries: int
    """The number of deliveries that wait to be sent, now or later."""
    oldest_due_delivery_seconds: float
    """Seconds for which the oldest delivery that could be sent has been due; 0 when there is none."""
    workers: list[HealthWorker]
    """The workers that have not reported their end, ordered by name."""
    schedulers: list[HealthScheduler]
    """The schedulers that have not reported their end, ordered by name."""


class HealthNumber(Model):
    """A number on which a finding is based."""

    __slots__ = ()
    name: str
    """The name of what is counted or measured."""
    value: float
    """The value, to one decimal. Counts of rows end at 2,000."""
    unit: str
    """The unit: `s`, `%`, or empty for a count."""


class HealthReport(Model):
    """The health of the service."""

    __slots__ = ()
    state: HealthState
    """The worst state of the axes."""
    sentence: str
    """The verdict, as one sentence."""
    axes: list[HealthFinding]
    """The five axes: flow, execution, delivery, money, liveness."""
    load: HealthLoad
    """What waits and runs at this moment, and who works."""
    invariants: list[HealthInvariant]
    """The rules that must hold of the rows at every moment, each with what its last checks found. Schedulers check each
    every five minutes, balances each minute."""


class HealthScheduler(Model):
    """A scheduler."""

    __slots__ = ()
    name: str
    """Its name."""
    version: str
    """Its version."""
    silent_seconds: float
    """Seconds since it last reported; from 30 on it counts as dead."""
    clock_ahead_ms: int | None
    """Milliseconds by which its clock is ahead of the database's; negative if it is behind, null where it did not tell."""

HealthState = Literal['healthy', 'unknown', 'degraded', 'failing']
"""The states of health."""


class HealthTask(Model):
    """The jobs of one task."""

    __slots__ = ()
    task: str
    """The name of a read, or `render`, `generation` or `dub`."""
    paused: bool
    """Whether an operator has paused it."""
    workers: int
    """The number of workers that live and can run it."""
    due: int
    """The number of jobs that a worker could take now."""
    oldest_due_seconds: float
    """Seconds for which the oldest of them has been due; 0 when there is none."""
    without_place: int
    """The number of due jobs that wait for one of their account's places."""
    put_back: int
    """The number of jobs that were put back, and are due later."""
    next_due_at: str | None
    """When the first of these is due; null when there are none."""
    has_more: bool
    """Whether more jobs may wait than `due`, `without_place` and `put_back` say, since no more were counted."""
    running: int
    """The number of jobs that run."""
    ended: int
    """The number of jobs that ended within 15 minutes."""


class HealthTrouble(Model):
    """A further trouble of an axis."""

    __slots__ = ()
    state: HealthState
    """The state that it means for the axis."""
    sentence: str
    """The trouble, as one sentence."""
    next: str
    """The command that helps next."""


class HealthWorker(Model):
    """A worker."""

    __slots__ = ()
    name: str
    """Its name."""
    version: str
    """Its version."""
    slots: int
    """The number of jobs that it can run at once."""
    busy: int
    """The number of jobs that it runs."""
    silent_seconds: float
    """Seconds since it last reported; from 30 on it counts as dead."""
    clock_ahead_ms: int | None
    """Milliseconds by which its clock is ahead of the database's; negative if it is behind, null where it did not tell."""


class ImportMedia(Model):
    """Media to import."""

    __slots__ = ()
    url: str
    """The URL to fetch: HTTPS and publicly reachable, as each of up to five redirects must be."""
    name: str | None
    """The item's name, for people; the last part of the URL when not given."""
    ref: str | None
    """The item's ref, unique in the workspace; clients use its id when none is given."""
    reads: list[ReadKind] | None
    """Reads to start once the item is ready, as `prepare_media` would then; the item's `reads_on_ready` says what became of
    each. When not given, those of the workspace's settings."""


class ImportTimeline(Model):
    """A document to import."""

    __slots__ = ()
    content: str
    """The document as text, up to the size limit of requests. Its media must be items of the workspace: `mws:itm_…`, or in
    an EDL the items' names or refs."""
    format: CarryFormat | None
    """The format of the document; `otio` when not given."""
    fps: float | None
    """The frame rate, in frames per second, that an EDL counts in: when not given 25, or 29.97 for drop-frame timecode. For
    captions, the frame rate of the new timeline."""
    name: str | None
    """The timeline's name; the document's when not given."""


class ImportedTimeline(Model):
    """A timeline that was imported."""

    __slots__ = ()
    timeline: Timeline
    """The timeline."""
    warnings: list[str]
    """What the timeline lacks of the document, in whole sentences."""

InvariantOutcome = Literal['passed', 'failed', 'unfinished']
"""The outcomes of a check."""


class ItemAnswer(Model):
    """An item."""

    __slots__ = ()
    item: LibraryItem
    """The item."""


class ItemPage(Model):
    """A page of the library."""

    __slots__ = ()
    items: list[LibraryItem]
    """The items, in the requested order."""
    has_more: bool
    """Whether there are items after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the items after these; null on the last page."""


class JobAnswer(Model):
    """A job: one unit of asynchronous work (contract §2, "Job")."""

    __slots__ = ()
    id: str
    """Its id."""
    workspace_id: str
    """The workspace that it belongs to."""
    kind: JobKindWord
    """The kind of job."""
    read: ReadKind | None
    """The read that it computes; null for other work."""
    item_id: str | None
    """The item that it works on; null for other work."""
    ref: str | None
    """That item's ref."""
    status: JobStatusWord
    """Its status."""
    progress: int
    """Progress in percent, 0 to 100; it never goes down within an attempt."""
    attempt: int
    """Attempts that failed or were lost, and the one that runs."""
    max_attempts: int
    """The number of attempts after which a retryable failure is final."""
    cancel_requested: bool
    """Whether it was asked to stop while it ran."""
    waits: JobWait | None
    """What it waits for; null unless it is queued. Events don't tell."""
    estimated_minutes: float
    """Minutes held for it."""
    cloud_minutes: float | None
    """Minutes charged; null until it ends, 0 when it failed or was cancelled."""
    estimated_credits: float
    """AI credits held for it."""
    credits: float | None
    """AI credits charged; null until it ends, 0 when it failed or was cancelled."""
    result: Any
    """Its result: `{"stored_reads":[…]}` for a read, `{"item_id":"itm_…"}` for a render."""
    error: JobErrorAnswer | None
    """Why it failed; null unless it did."""
    context: str | None
    """The sentence given with the call that started it, or null."""
    request_id: str | None
    """The id of the request that started it, or null."""
    created_at: str
    """When it was created."""
    started_at: str | None
    """When a worker first took it; null before."""
    finished_at: str | None
    """When it ended; null before."""


class JobErrorAnswer(Model):
    """Why a job failed."""

    __slots__ = ()
    code: str
    """A job error code, such as `media_unreadable` or `worker_lost`."""
    message: str
    """What went wrong, as a sentence to act on."""
    retryable: bool
    """Whether the same read may succeed when it is requested again."""


class JobEvent(Model):
    """The body that endpoints are sent when a job has ended (contract §6.1)."""

    __slots__ = ()
    id: str
    """The event's id, derived from the job and the type: an event that is sent twice has one id."""
    type: Subscribed
    """The event's type."""
    created_at: str
    """When the job ended."""
    workspace_id: str
    """The workspace that the job ran in."""
    timeline_id: str | None
    """The timeline; only for a language change."""
    data: JobEventData
    """The data of the event."""


class JobEventData(Model):
    """The data of a job's event."""

    __slots__ = ()
    job: JobAnswer
    """The job, as `get_jobs` shows it."""

JobKindWord = Literal['generation', 'render', 'dub', 'transcription', 'read']
"""The kinds of jobs."""

JobStatusWord = Literal['queued', 'running', 'succeeded', 'failed', 'cancelled']
"""The status of a job (contract §3.2). The last three are final."""


class JobWait(Model):
    """What a queued job waits for."""

    __slots__ = ()
    code: str
    """`slot`: a free slot of a worker; `place`: one of the places that the account's jobs have; `engine`: a worker that can
    do it; `retry`: its next attempt; `put_back` and `due`: its time; `processor_time`: the account's unpaid processor
    time of a day; `read_paused`: its read to be resumed; `turn`: what only the account that pays is told. More may
    come."""
    message: str
    """The reason in a sentence."""
    until: str | None
    """When it is due; null when no time is known."""


class JobsAnswer(Model):
    """The jobs that were found."""

    __slots__ = ()
    jobs: list[JobAnswer]
    """The jobs, in the order of `job_ids`; with filters, newest first."""
    missing: list[str]
    """The requested ids that name no job of this workspace."""
    has_more: bool
    """Whether there are jobs after these; always false with `job_ids`."""
    next_cursor: str | None
    """Pass it as `cursor` for the jobs after these; null on the last page."""


class KeepPost(Model):
    """Which post to keep."""

    __slots__ = ()
    post_id: str
    """The post."""
    tags: list[str] | None
    """All of its tags from now on: at most 20, each of 1 to 64 characters."""
    import_media: bool | None
    """Whether to import its first media as an item."""


class KeptRows(Model):
    """Rows that are deleted once they are old enough."""

    __slots__ = ()
    table: str
    """The table that has them."""
    setting: str
    """The setting that says how long they are kept."""
    days: int
    """How many days that is."""
    oldest_at: str | None
    """When the oldest row that may be deleted was made, or ended if it is a job; null if there is none."""
    deleted_from: str | None
    """From when on the oldest row is deleted. Schedulers do that every half minute, batch by batch, and what belongs to a
    row that has to stay stays with it. Null if there is none."""


class KeptSpan(Model):
    """A part of an item, in seconds from its start."""

    __slots__ = ()
    start: float
    """Its start."""
    end: float
    """Its end."""


class Key(Model):
    """An API key, without the secret."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str | None
    """Your name for it, or null."""
    prefix: str
    """Its first characters, to recognize it by."""
    workspace_id: str
    """The workspace in which it works."""
    created_at: str
    """When it was created."""
    last_used_at: str | None
    """When it was last used, to the minute; null when it never was."""
    created_by: str | None
    """The id of the user or the key that made it; null if the operator did."""

Kind = Literal['job.succeeded', 'job.failed', 'job.cancelled', 'ping']
"""The event type of a delivery."""

LayerFit = Literal['contain', 'cover']
"""How an image or a logo is fitted into its layer."""


class LayerShadow(Model):
    """A shadow."""

    __slots__ = ()
    color: str | None
    """Its colour; `#00000080` when absent. `transparent` means no shadow."""
    x: float | None
    """Its offset to the right, -500 to 500 pixels."""
    y: float | None
    """Its offset downwards, -500 to 500 pixels."""
    blur: float | None
    """The width of its blurred edge, 0 to 500 pixels."""

LayerType = Literal['image', 'logo', 'text', 'rect', 'ellipse', 'gradient']
"""The types of layers."""


class Lease(Model):
    """A lease on an item."""

    __slots__ = ()
    item_id: str
    """The item."""
    leased_until: str
    """When the lease expires."""


class LibraryItem(Model):
    """A library item (contract §2)."""

    __slots__ = ()
    id: str
    """Its id."""
    ref: str
    """Its ref, or its id when it has none."""
    name: str
    """Its name, for people."""
    type: LibraryItemType | None
    """Its type; null until its bytes were examined."""
    status: LibraryItemStatus
    """Its status."""
    error: LibraryItemError | None
    """Why it failed; null unless it did."""
    duration_seconds: float | None
    """Its duration in seconds; null for an image, and until its bytes were examined."""
    width: int | None
    """Its width in pixels; null for sound, and until its bytes were examined."""
    height: int | None
    """Its height in pixels; null for sound, and until its bytes were examined."""
    content_type: str | None
    """Its media type, such as `video/mp4`, or null."""
    bytes: int
    """The bytes that it takes of the account's storage; 0 when it failed, or while its size is unknown."""
    sha256: str | None
    """The SHA-256 of its bytes in hexadecimal, or null."""
    created_at: str
    """When it was created."""
    leased_until: str | None
    """Until when its reads are held back because a computer reads it itself; null when they are not."""
    thumbnail_url: str | None
    """A picture of it, a JPEG: this link needs no credential and is valid for at least an hour. Null when there is none."""
    media_url: str | None
    """Its media: this link needs no credential, takes ranges, and is valid until `media_url_expires_at`. Null until it is
    ready, and in lists without `include=media`."""
    media_url_expires_at: str | None
    """When `media_url` expires."""
    streams: list[LibraryItemStream] | None
    """The streams of its file; null until its bytes were examined."""
    reads: dict[str, Any]
    """The reads stored on it, by their names."""
    tags: list[str]
    """Its tags."""
    reads_on_ready: ReadsOnReady | None
    """The reads that were requested with its upload or import; null when none were."""
    made_by: LibraryItemMadeBy | None
    """How it was made here; null for an upload or an import."""


class LibraryItemError(Model):
    """Why an item failed."""

    __slots__ = ()
    code: str
    """A code such as `media_unreadable`, `media_too_long`, `url_not_allowed`, `fetch_failed`, `file_too_large`."""
    message: str
    """What went wrong, as a sentence."""

LibraryItemInclude = Literal['media']
"""A part of an item that lists leave out."""


class LibraryItemMadeBy(Model):
    """How an item was made."""

    __slots__ = ()
    job_id: str
    """The job that made it."""
    tool: str
    """The tool that was called."""
    engine: str | None
    """The built-in engine that made it; absent when a model did."""
    model: str | None
    """The provider's model that made it; absent when an engine did."""
    source_item_ids: list[str]
    """The items that it was made from."""
    synthetic: bool
    """Whether a machine generated it, or something that it was made from."""
    quality: str | None
    """`draft` when a simple engine made it."""
    film: bool | None
    """`true` when it is a film of a timeline or a dub, or shows one once more, as an enlarged film does; absent otherwise.
    The planner `keywords` takes none for footage."""

LibraryItemSort = Literal['newest', 'oldest', 'name']
"""The orders of lists of items."""

LibraryItemStatus = Literal['processing', 'ready', 'failed']
"""The status of an item."""


class LibraryItemStream(Model):
    """A stream of an item's file, as its container describes it."""

    __slots__ = ()
    index: int
    """Its index in the container, from 0."""
    type: str
    """`video`, `audio`, `subtitle`, `data`, `attachment`, or `picture` for a cover."""
    codec: str | None
    """Its codec, by ffmpeg's name."""
    duration_seconds: float | None
    """The duration in seconds that it declares."""
    width: int | None
    """Its width in pixels; only for pictures."""
    height: int | None
    """Its height in pixels; only for pictures."""
    frame_rate: float | None
    """Average frames per second; only for video."""
    sample_rate: int | None
    """Samples per second; only for audio."""
    channels: int | None
    """The number of channels; only for audio."""

LibraryItemType = Literal['video', 'audio', 'image']
"""The type of an item."""

LineAlign = Literal['left', 'center', 'right']
"""The alignment of lines."""

LinkRight = Literal['view', 'download', 'comment']
"""What a link lets its visitors do."""


class ListBoards(Model):
    """Which boards to list."""

    __slots__ = ()
    limit: int | None
    """Boards to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListCalendar(Model):
    """Which entries to list."""

    __slots__ = ()
    from_: str | None
    """Only entries that start at or after this time, or go on at it."""
    to: str | None
    """Only entries that start before this time."""
    status: CalendarStatus | None
    """Only entries with this status."""
    limit: int | None
    """Entries to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListCanvases(Model):
    """Which canvases to list."""

    __slots__ = ()
    limit: int | None
    """Canvases to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListComments(Model):
    """Which comments to list."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, the id of the job that made the item, or a timeline's id."""
    resolved: bool | None
    """Only comments that are resolved (`true`), or that are not (`false`)."""
    limit: int | None
    """Comments to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListDubs(Model):
    """Which dubs to list."""

    __slots__ = ()
    limit: int | None
    """Dubs to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListItems(Model):
    """Which items of the library to list."""

    __slots__ = ()
    query: str | None
    """Only items whose name, ref or one of whose tags contains this, ignoring case; or the item with this id."""
    type: LibraryItemType | None
    """Only items of this type."""
    status: LibraryItemStatus | None
    """Only items with this status."""
    has_read: ReadKind | None
    """Only items on which this read is stored."""
    missing_read: ReadKind | None
    """Only ready items to which this read applies and on which it is not stored."""
    tag: str | None
    """Only items with this tag, ignoring case."""
    created_after: str | None
    """Only items created at or after this time."""
    created_before: str | None
    """Only items created before this time."""
    board_id: str | None
    """Only items that a card of this board is about."""
    sort: LibraryItemSort | None
    """The order of the items; `newest` when not given."""
    limit: int | None
    """Items to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""
    include: list[LibraryItemInclude] | None
    """Fields to add that lists leave out: `media` adds each item's `media_url`, and fills `media` of the answer."""


class ListPosts(Model):
    """Which posts to list."""

    __slots__ = ()
    query: str | None
    """Only posts that contain this in their title, their author, a tag or the first thousand characters of their text,
    ignoring case; at most 200 characters."""
    source: str | None
    """Only posts that were pulled by this URL."""
    kept: bool | None
    """Only posts that are kept (`true`), or that are not (`false`)."""
    limit: int | None
    """Posts to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListPublicLinks(Model):
    """Which links to list."""

    __slots__ = ()
    ref: str | None
    """Only links to the item with this ref or id."""
    limit: int | None
    """Links to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListSkills(Model):
    """Which skills to list."""

    __slots__ = ()
    limit: int | None
    """Skills to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListTemplates(Model):
    """Which templates to list."""

    __slots__ = ()
    limit: int | None
    """Templates to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListTimelines(Model):
    """Which timelines to list."""

    __slots__ = ()
    limit: int | None
    """Timelines to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListAccountChange(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[AccountChange]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListAuditEntry(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[AuditEntry]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListBulkOperationAnswer(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[BulkOperationAnswer]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListDelivery(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[Delivery]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListJobEvent(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[JobEvent]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListKey(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[Key]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListLibraryItem(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[LibraryItem]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListListedProject(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[ListedProject]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListListedWebhook(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[ListedWebhook]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListOperatorAccount(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[OperatorAccount]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListOperatorJob(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[OperatorJob]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListOperatorKey(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[OperatorKey]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListOperatorMember(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[OperatorMember]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListOperatorUser(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[OperatorUser]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListOperatorWorkspace(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[OperatorWorkspace]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListProjectDelivery(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[ProjectDelivery]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListProjectStep(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[ProjectStep]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListWebhook(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[Webhook]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListWorkspace(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[Workspace]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListWorkspaceMember(Model):
    """A page of a list."""

    __slots__ = ()
    data: list[WorkspaceMember]
    """The rows, in the list's order."""
    has_more: bool
    """Whether there are rows after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the rows after these; null on the last page."""


class ListedBoard(Model):
    """A board as lists show it."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    columns: int
    """The number of its columns."""
    cards: int
    """The number of its cards."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ListedCanvas(Model):
    """A canvas as lists show it."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    width: int
    """Its width, in pixels."""
    height: int
    """Its height, in pixels."""
    layers: int
    """The number of its layers."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ListedDub(Model):
    """A dub as lists show it."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    item_id: str
    """The item that is dubbed."""
    target_language: str
    """The language that it is dubbed into."""
    segments: int
    """The number of its segments."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ListedProject(Model):
    """A summary of a project."""

    __slots__ = ()
    id: str
    """Its id."""
    status: ProjectState
    """Its status."""
    revision: int
    """The number of its statuses so far, counting the one it was created with."""
    brief: str
    """The first 200 characters of the brief."""
    agent_message: str | None
    """The agent's last message, its first 200 characters; null when there is none."""
    assembled_url: str | None
    """The URL of the result, or null."""
    assembled_url_expires_at: str | None
    """When that URL expires, or null."""
    project_url: str
    """The URL of the whole project, to read with a credential."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ListedSkill(Model):
    """A skill as lists show it."""

    __slots__ = ()
    name: str
    """Its name."""
    description: str | None
    """When to use it; null when nobody said."""
    bytes: int
    """The length of its text, in bytes."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    updated_at: str
    """When it was last changed."""


class ListedTemplate(Model):
    """A template as lists show it."""

    __slots__ = ()
    name: str
    """Its name."""
    tool: str
    """The tool that it calls."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    updated_at: str
    """When it was last changed."""


class ListedTimeline(Model):
    """A timeline as lists show it."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    duration_seconds: float
    """Its duration, in seconds."""
    aspect_ratio: str
    """The picture's aspect ratio, such as `16:9`."""
    scenes: int
    """The number of its scenes."""
    variant_of: str | None
    """The timeline of which it is a variant; null when it is none, or when that timeline is deleted."""
    language: str | None
    """The language that is spoken in it; null when it is not set, or was set before it was shown here."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ListedWebhook(Model):
    """An endpoint of an account, as a list shows it."""

    __slots__ = ()
    id: str
    """Its id."""
    account_id: str
    """The account that owns it."""
    url: str
    """Its URL without user name, password and query; to a token of the role `metadata` without its path too."""
    enabled: bool
    """Whether events are sent."""
    disabled_reason: Reason | None
    """Why it is disabled; null when it is enabled."""
    disabled_at: str | None
    """When it was disabled; null when it is enabled."""
    consecutive_failures: int
    """Attempts that failed since the last success; at twenty the endpoint is disabled."""
    last_success_at: str | None
    """When an attempt last succeeded, accurate to ten seconds; null when none did."""
    created_at: str
    """When it was registered."""
    removed_at: str | None
    """When its owner removed it; null when it is there."""


class LogoToSet(Model):
    """A named logo to set."""

    __slots__ = ()
    name: str
    """Its name, 1 to 100 characters, unique among the logos regardless of case."""
    ref: str
    """The item, an image that is ready: its ref, its id, or the id of the job that made it."""


class MakeDub(Model):
    """Which item to dub, and how."""

    __slots__ = ()
    ref: str | None
    """The item: its ref, its id, or the id of the job that made it."""
    timeline_id: str | None
    """A timeline to dub, instead of `ref`: its film is rendered first, unless that is there."""
    timeline_revision: int | None
    """The revision of the timeline to dub, its present one or one that `undo_timeline` could still return to; the present
    one when not given."""
    target_language: str
    """The language to dub into, such as `es` or `spa`."""
    source_language: str | None
    """The language that is spoken in the item; the transcript's when not given."""
    script: list[ScriptSegment] | None
    """The segments to speak, at most 2,000, which may not overlap. With it nothing is transcribed or translated."""
    voices: list[SpeakerVoice] | None
    """Voices for speakers; every other speaker gets one automatically."""
    keep_background: bool | None
    """Whether the item's own sound is heard under the voices, 15 dB down while they speak; false when not given."""
    dry_run: bool | None
    """`true` returns what the call would hold, and starts nothing."""


class MediaLink(Model):
    """Media to show beside a tool's answer (contract §4.2, `media`)."""

    __slots__ = ()
    type: LibraryItemType
    """The item's type."""
    item_id: str
    """The item."""
    ref: str
    """The item's name for clients."""
    url: str
    """The link to its bytes, as `media_url` of the item."""
    expires_at: str
    """When that link ends."""
    content_type: str
    """The media type that it is served as."""
    bytes: int
    """Its size in bytes."""


class MemberRole(Model):
    """The role to give."""

    __slots__ = ()
    role: RoleWord
    """The role."""


class Meta(Model):
    """`meta` of a tool's answer (contract §4.2)."""

    __slots__ = ()
    request_id: str
    """The id of the request, as in `X-Request-Id`."""
    cost: Cost
    """The AI credits that the call cost."""
    cloud_processing: CloudProcessing | None
    """The cloud minutes that the call used, holds and leaves; present for every tool that may start cloud processing."""


class MinuteSums(Model):
    """Minutes before a month, by how much all of its entries changed them, and after it. Held minutes are counted in."""

    __slots__ = ()
    before: float
    """Before the month."""
    change: float
    """The sum of all entries of the month."""
    after: float
    """After them."""


class Model(Model):
    """A generation model."""

    __slots__ = ()
    id: str
    """Its id, as generation calls name it."""
    name: str
    """Its name, for people."""
    kind: str
    """Its kind: `image`, `video`, `audio`, `speech`, `upscale`, `cutout`, `translate` or `chat`."""
    estimated_credits: float
    """The price of one unit in AI credits; 0 for a built-in engine, which is paid for in minutes."""
    per: str
    """The unit of the price: `call`, `second`, `megapixel` or `1k_chars`."""
    built_in: bool
    """Whether it is an engine of this deployment rather than a provider's model."""
    available: bool
    """Whether a worker has recently reported that it can use it, and it is not failing."""
    failing_since: str | None
    """Since when its provider has answered no request of a worker, if that is a minute or longer, and the last of them was
    within an hour. Calls are taken meanwhile, and ask it again."""
    quality: str | None
    """`draft` for a simple engine."""
    pairs: list[str] | None
    """The pairs of languages that it translates, such as `eng-spa`; only for `apertium`, as workers recently reported."""


class ModelList(Model):
    """The generation models."""

    __slots__ = ()
    data: list[Model]
    """The built-in engines, and the models of the configured providers."""
    has_more: bool
    """Always false: one page has all models."""
    next_cursor: str | None
    """Always null."""


class ModelPage(Model):
    """The generation models, as the tool returns them."""

    __slots__ = ()
    models: list[Model]
    """The built-in engines, and the models of the configured providers."""
    has_more: bool
    """Always false: one page has all models."""
    next_cursor: str | None
    """Always null."""


class MomentSpan(Model):
    """A moment of a video."""

    __slots__ = ()
    id: str
    """Its id in the item's `search_index`."""
    start: float
    """When it begins, in seconds."""
    end: float
    """When it ends, in seconds."""

NeedStatus = Literal['ready', 'queued', 'startable']
"""The state of what a tool needs or makes."""


class NewLayer(Model):
    """A layer of a new canvas. A field that its type does not have is refused."""

    __slots__ = ()
    type: LayerType
    """Its type."""
    layer_id: str | None
    """The layer's id. For a new layer: 1 to 64 letters, digits, `-` and `_`; one is generated when absent."""
    position: int | None
    """The layer's index, 0 being the lowest, counted without the layer that moves; the top when absent."""
    x: float | None
    """Its left edge, in pixels of the canvas."""
    y: float | None
    """Its upper edge, in pixels of the canvas."""
    width: float | None
    """Its width in pixels; the canvas's when absent. A text has `max_width` instead."""
    height: float | None
    """Its height in pixels; the canvas's when absent."""
    rotation: float | None
    """Its clockwise rotation about its centre, -360 to 360 degrees."""
    opacity: float | None
    """Its opacity, 0 to 1."""
    radius: float | None
    """The radius of the corners of an image, a logo, a rectangle or a gradient, in pixels."""
    shadow: LayerShadow | None
    """Its shadow."""
    ref: str | None
    """The item of an image layer, an image or a film: its ref, its id, or the id of the job that made it."""
    at: float | None
    """The time of the frame to show of a film, in seconds."""
    fit: LayerFit | None
    """How an image or a logo is fitted into the layer; `contain` when absent."""
    logo: str | None
    """The name of a logo of the brand kit."""
    color: str | None
    """The colour of a text, a rectangle or an ellipse: `#1a2b3c`, `#1a2b3c80`, or the name of a colour of the brand kit;
    black when absent."""
    colors: list[str] | None
    """The colours of a gradient, 2 to 8 at equal distances."""
    shape: GradientWay | None
    """The shape of a gradient; `linear` when absent."""
    angle: float | None
    """The direction of a linear gradient, in degrees: 0 is to the right, 90 down."""
    text: str | None
    """The words of a text, 1 to 2,000 characters. `{name}` is a placeholder; `{{` and `}}` are literal braces."""
    family: str | None
    """The font family of a text, one that `get_brand_kit` lists or the name of a font of the brand kit; `DejaVu Sans` when
    absent."""
    size: float | None
    """The font size, 1 to 2000 pixels; 48 when absent."""
    weight: int | None
    """The font weight, 100 to 900; 400, which is regular, when absent. 700 is bold."""
    align: LineAlign | None
    """The alignment of lines; when absent, the side where the text's script begins."""
    max_width: float | None
    """The width at which lines are broken, in pixels; 0, and when absent: lines are not broken."""
    line_height: float | None
    """The distance from one line to the next, 0.5 to 4 font sizes; 1.2 when absent."""


class NoArguments(Model):
    """No fields: `{}`, or no body at all."""

    __slots__ = ()


class OneBoard(Model):
    """Which board."""

    __slots__ = ()
    board_id: str
    """The board."""


class OneCanvas(Model):
    """Which canvas."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""


class OneComment(Model):
    """Which comment."""

    __slots__ = ()
    comment_id: str
    """The comment."""


class OneDub(Model):
    """Which dub."""

    __slots__ = ()
    dub_id: str
    """The dub."""


class OneItem(Model):
    """Which item."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""


class OnePost(Model):
    """Which post."""

    __slots__ = ()
    post_id: str
    """The post."""


class OneSkill(Model):
    """Which skill."""

    __slots__ = ()
    name: str
    """Its name."""


class OneTemplate(Model):
    """Which template."""

    __slots__ = ()
    name: str
    """Its name."""


class OneTimeline(Model):
    """Which timeline."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""


class OpenAccount(Model):
    """An account to open."""

    __slots__ = ()
    name: str
    """Its name."""
    workspace_name: str | None
    """The name of its default workspace; the account's name when not given."""
    monthly_allowance_minutes: float | None
    """Its own monthly minutes; the deployment's when not given."""
    create_key: bool | None
    """`true` also creates an API key for its workspace, which only this answer shows."""


class OpenWorkspace(Model):
    """A workspace to open."""

    __slots__ = ()
    account_id: str
    """The account that owns it."""
    name: str
    """Its name."""


class OpenedAccount(Model):
    """An account that was just opened."""

    __slots__ = ()
    account: OperatorAccount
    """The account."""
    workspace_id: str
    """Its default workspace."""
    key: str | None
    """The key, if one was requested; only this answer shows it."""


class OperatorAccount(Model):
    """An account."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name; `Hidden by your role.` for a token of the role `metadata`."""
    monthly_allowance_minutes: float | None
    """Its own monthly minutes; null when the deployment's apply."""
    created_at: str
    """When it was opened."""
    suspended_at: str | None
    """Since when its credentials are refused; null when they are not."""
    suspended_reason: str | None
    """The reason that its callers are shown, or null; `Hidden by your role.` for a token of the role `metadata`."""
    erased_at: str | None
    """When it was erased, or null. Its names and bytes are gone then, and its ledger stays."""


class OperatorDeliveryError(Model):
    """Deliveries to one host whose last attempt failed alike."""

    __slots__ = ()
    host: str
    """The host of their endpoints' URLs, with the port where one is named; `unknown` if the endpoints were deleted."""
    error: str
    """The error of their last attempt: one of the words in `attempts` of a delivery."""
    response_status: int | None
    """The HTTP status that was answered; null where nothing was."""
    deliveries: int
    """How many deliveries there are."""
    pending: int
    """How many of them are tried again; the others have failed for good."""
    sent_again: int
    """How many of those that failed for good were sent again."""
    arrived: int
    """How many of those that were sent again have arrived."""
    unsent: int
    """How many of those that failed for good were not sent again and have an endpoint that is not deleted."""
    endpoints: int
    """How many endpoints they go to."""
    accounts: int
    """How many accounts those belong to."""
    first_at: str
    """When the first of them was made."""
    last_at: str
    """When the last of them was made."""
    newest_delivery_id: str
    """The newest of them."""


class OperatorDeliveryErrors(Model):
    """Kinds of failed deliveries."""

    __slots__ = ()
    data: list[OperatorDeliveryError]
    """The kinds, at most 100: those with deliveries that are unsent or tried again first, and of these those with the most
    deliveries."""
    left_out: bool
    """Whether there were more than 100 kinds."""
    looked_from: str | None
    """When the oldest delivery that was looked through was made. Null if none failed."""


class OperatorError(Model):
    """Jobs that failed alike: of one kind and read, with one code and one message."""

    __slots__ = ()
    kind: JobKindWord
    """The kind of the jobs."""
    read: ReadKind | None
    """Their read; null for other work."""
    error_code: str
    """The code of their error."""
    message: str
    """Its message, with `#` for each number in it; 200 characters at most."""
    jobs: int
    """How many jobs failed so."""
    accounts: int
    """How many accounts pay for them."""
    is_new: bool
    """Whether it was first seen within the last hour."""
    came_with_release: bool
    """Whether it was not seen before the workers of this release ran, which is told for a day."""
    by_hour: list[int]
    """How many failed in each of the last 24 hours, the last one at the end."""
    first_at: str
    """When the first of them failed."""
    last_at: str
    """When the last of them failed."""
    newest_job_id: str
    """The newest of them."""


class OperatorErrorList(Model):
    """Kinds of failures."""

    __slots__ = ()
    data: list[OperatorError]
    """The kinds, at most 100: new ones first, then those that came with the release, then those with the most jobs in the
    last hour."""
    has_more: bool
    """Always false: one page has all kinds that are shown."""
    next_cursor: str | None
    """Always null."""
    left_out: bool
    """Whether there were more than 100 kinds, of which those that failed last are shown."""
    looked_from: str | None
    """When the oldest job that was looked through was made: what failed before is not here. Null if no job failed."""
    deliveries: OperatorDeliveryErrors
    """How deliveries failed."""


class OperatorJob(Model):
    """A job, with the accounts that own and pay for it."""

    __slots__ = ()
    payer_account_id: str
    """The account that pays for it."""
    owner_account_id: str
    """The account that owns its workspace, and whose webhooks get its events."""
    job: JobAnswer
    """The job, as its account sees it."""
    payloads_hidden: bool
    """Whether the role of the token (`metadata`) hides `result`, `context` and `ref` of the job, which are null then, and
    the message of its error."""


class OperatorKey(Model):
    """A key, without the key itself."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str | None
    """Its name, or null."""
    prefix: str
    """Its first characters."""
    workspace_id: str
    """The workspace in which it works."""
    created_by: str | None
    """The id of the user or the key that made it; null if an operator did."""
    created_at: str
    """When it was made."""
    last_used_at: str | None
    """When it was last used, to the minute; null when it never was."""
    revoked_at: str | None
    """When it was revoked; null for a live key."""


class OperatorMember(Model):
    """A membership."""

    __slots__ = ()
    workspace_id: str
    """The workspace."""
    user_id: str
    """The user."""
    user_name: str
    """The user's name."""
    role: RoleWord
    """Their role in the workspace."""
    created_at: str
    """When they became a member."""


class OperatorRead(Model):
    """A read, its engine, and whether it is paused."""

    __slots__ = ()
    read: ReadKind
    """The read."""
    paused_at: str | None
    """Since when it is paused; null when it is not."""
    engine: str | None
    """The engine that computes it, as a worker last reported, or null."""
    engine_version: str | None
    """That engine's version, or null."""
    engine_seen_at: str | None
    """When a worker last reported it, or null."""
    waiting_jobs: int
    """The number of its jobs that wait; 10,001 means more than 10,000."""


class OperatorReadList(Model):
    """The reads."""

    __slots__ = ()
    data: list[OperatorRead]
    """The reads, ordered by name."""
    has_more: bool
    """Always false: one page has all reads."""
    next_cursor: str | None
    """Always null."""


class OperatorTable(Model):
    """The size of a table, by the database's own statistics."""

    __slots__ = ()
    name: str
    """Its name."""
    rows: int | None
    """About how many rows it has; null before it was vacuumed or analysed for the first time."""
    table_bytes: int
    """The bytes of its rows."""
    index_bytes: int
    """The bytes of its indexes."""
    dead_rows: int
    """About how many deleted or changed rows are still to be vacuumed."""
    gathered_at: str | None
    """When it was vacuumed or analysed last; null if it never was."""


class OperatorUser(Model):
    """A user."""

    __slots__ = ()
    id: str
    """Their id."""
    account_id: str
    """The account that pays for what they do."""
    name: str
    """The user's name."""
    oauth_issuer: str | None
    """The issuer whose tokens stand for them, or null."""
    oauth_subject: str | None
    """The `sub` of those tokens, or null."""
    created_at: str
    """When they were added."""
    disabled_at: str | None
    """Since when they are refused everywhere; null when they are not."""


class OperatorWebhook(Model):
    """An endpoint of an account. Its URL is not shown, since it may hold a secret of its owner's."""

    __slots__ = ()
    id: str
    """Its id."""
    account_id: str
    """The account that owns it."""
    enabled: bool
    """Whether events are sent."""
    disabled_reason: Reason | None
    """Why it is disabled; null when it is enabled."""
    disabled_at: str | None
    """When it was disabled; null when it is enabled."""
    consecutive_failures: int
    """Attempts that failed since the last success; at twenty the endpoint is disabled."""
    last_success_at: str | None
    """When an attempt last succeeded, accurate to ten seconds; null when none did."""
    ping: Ping | None
    """The ping that `test: true` sent; absent otherwise."""


class OperatorWorkspace(Model):
    """A workspace and the account that owns it."""

    __slots__ = ()
    id: str
    """Its id."""
    account_id: str
    """The account that owns it."""
    name: str
    """Its name."""
    is_default: bool
    """Whether it is its account's default."""
    created_at: str
    """When it was opened."""

OverlayType = Literal['image', 'text', 'logo']
"""The types of overlays."""


class OverviewAnswer(Model):
    """The state of the workspace in which the call acts, and what its account has left."""

    __slots__ = ()
    items: dict[str, Any]
    """The number of items by status, among the newest 10,000."""
    ready: dict[str, Any]
    """The number of ready items by type, among the newest 10,000."""
    counts_are_partial: bool
    """Whether `items` and `ready` count 10,000 items, the most: older ones are left out."""
    newest_items: list[LibraryItem]
    """The five newest items."""
    missing_reads: dict[str, Any]
    """For each read, how many of the newest 2,000 items are ready, suit the read and lack it."""
    live_jobs: dict[str, Any]
    """The number of jobs that have not ended, by kind; at most 1,000 are counted for each."""
    running_jobs: int
    """The number of those jobs that are running."""
    projects: dict[str, Any]
    """The number of projects by status, among the newest 10,000."""
    left_minutes: float
    """The minutes that the account has left: the month's and the purchased ones."""
    held_minutes: float
    """The minutes that are held for work that has not ended."""
    left_credits: float
    """The AI credits that the account has left."""
    troubled_endpoints: list[TroubledEndpoint]
    """The account's webhook endpoints that are disabled, or have failed at least ten times in a row."""

PictureFormat = Literal['png', 'jpeg', 'webp', 'svg']
"""The formats of rendered canvases."""


class Ping(Model):
    """A ping that is under way."""

    __slots__ = ()
    delivery_id: str
    """The delivery of the ping, to look up in the endpoint's log."""


class PingEvent(Model):
    """The body that an endpoint is sent as a test."""

    __slots__ = ()
    id: str
    """The event's id, derived from its delivery."""
    type: PingType
    """Always `ping`."""
    created_at: str
    """When the test was requested."""
    data: PingEventData
    """The data of the event."""


class PingEventData(Model):
    """The data of a ping."""

    __slots__ = ()
    endpoint_id: str
    """The endpoint that is tested."""

PingType = Literal['ping']
"""The one type of a ping."""

PortalPage = Literal['webhooks', 'jobs', 'usage', 'keys']
"""A page of the portal."""

PortalScheme = Literal['auto', 'light', 'dark']
"""Whether the pages are light or dark."""


class PortalSession(Model):
    """A link to the portal."""

    __slots__ = ()
    url: str
    """The link. Send the browser there, or show it in a frame if the deployment allows your origin."""
    expires_at: str
    """When it expires, unless it is used before."""


class PortalTheme(Model):
    """The look of the pages."""

    __slots__ = ()
    name: str | None
    """The name that the pages show, instead of this service's."""
    accent: str | None
    """The colour of their header and buttons, `#rrggbb`; text on it is black or white, whichever is readable."""
    scheme: PortalScheme | None
    """Light or dark; as the browser is set when not given."""
    logo: str | None
    """An image for their header: a `data:` URL of a PNG, JPEG or WebP in base64, at most 32,768 characters: about 24 kB."""


class Post(Model):
    """A post."""

    __slots__ = ()
    id: str
    """Its id."""
    source: str
    """The URL that it was last pulled by."""
    url: str
    """The URL of the post."""
    author: str | None
    """Its author, as the post says; null when it does not."""
    title: str | None
    """Its title, or null."""
    text: str
    """Its text: plain text, at most 10,000 characters."""
    published_at: str | None
    """When it was published, as the post says; null when it does not."""
    media: list[PostMedia]
    """Links to the media that it shows."""
    sha256: str
    """The SHA-256 of its content: it changes when the post is edited."""
    tags: list[str]
    """Its tags."""
    kept_at: str | None
    """When it was kept; null when it is not kept."""
    item_id: str | None
    """The item that its media was imported as, or null."""
    pulled_at: str
    """When it was last pulled."""


class PostAnswer(Model):
    """A post."""

    __slots__ = ()
    post: Post
    """The post."""


class PostMedia(Model):
    """A link to media that a post shows."""

    __slots__ = ()
    url: str
    """The URL of the media."""
    content_type: str | None
    """Its media type, as the post says; null when the post does not say."""


class PostPage(Model):
    """A page of the workspace's posts."""

    __slots__ = ()
    posts: list[Post]
    """The posts, newest first."""
    has_more: bool
    """Whether there are posts after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the posts after these; null on the last page."""


class PrepareMediaRequest(Model):
    """Which reads to start on which items."""

    __slots__ = ()
    refs: list[str]
    """1 to 20 items, each by its ref, its id, or the id of the job that made it."""
    reads: list[ReadKind]
    """At least one read."""
    context: str | None
    """One sentence shown to the user beside this action; at most 600 characters."""
    dry_run: bool | None
    """`true` returns what the call would start and hold, and starts nothing."""


class PreparedMedia(Model):
    """The answer of `prepare_media`."""

    __slots__ = ()
    items: list[PreparedRef]
    """One entry for each ref, in the order of the request; a repeated ref has one entry."""
    job_ids: list[str]
    """The jobs to follow with one `get_jobs` call: those that this call started, and those that already ran or waited."""
    estimate: Estimate
    """The cloud minutes that the call held, and what is left."""


class PreparedRead(Model):
    """The outcome of one read on one item (contract §3)."""

    __slots__ = ()
    read: ReadKind
    """The read."""
    status: ReadStatus
    """What became of it."""
    job_id: str | None
    """The job that computes it; only when queued."""
    estimated_minutes: float | None
    """Minutes held for that job, when queued; minutes that would be held, when startable or refused with
    `insufficient_minutes`."""
    already_queued: bool | None
    """Whether that job existed before this call; only when queued."""
    reason: ReadReason | None
    """Why it was not started; only when skipped, refused or held."""


class PreparedRef(Model):
    """The outcome for one ref."""

    __slots__ = ()
    ref: str
    """The ref or id that the request named."""
    item_id: str | None
    """The item that it names; absent when the caller can reach no such item."""
    reads: list[PreparedRead]
    """One entry for each read, in the order of the request."""


class Presigned(Model):
    """A request that sends the bytes; it needs no credential but its URL."""

    __slots__ = ()
    method: str
    """Always `PUT`."""
    url: str
    """The URL to send the bytes to: the service, or the bucket in which it keeps media."""
    url_expires_at: str | None
    """When `url` and those of `parts` expire, if they lead to a bucket; null for the service's own URL, which is valid as
    long as the upload. A repeat of the call with the same `Idempotency-Key` returns new ones."""
    headers: dict[str, Any]
    """Headers to send with it."""
    parts: list[UploadPart] | None
    """The parts of a file that is too large for one request to a bucket, each to be put to its own URL instead of `url`."""
    resumable_url: str
    """The URL to send the same bytes to with tus 1.0.0, always at the service: an upload that broke off can continue."""
    expires_at: str
    """When the upload is dropped, unless it is completed before."""


class Project(Model):
    """A project: a task for an agent, and its result."""

    __slots__ = ()
    id: str
    """Its id."""
    status: ProjectState
    """Its status."""
    revision: int
    """The number of its statuses so far, counting the one it was created with. It orders webhooks."""
    mode: str
    """Who works on it: `autonomous` or `manual`."""
    output_type: str
    """The kind of result: `assembled`, `timeline` or `clips`."""
    brief: str
    """The task, in words."""
    agent_message: str | None
    """The agent's last message; null when there is none."""
    assembled_url: str | None
    """The URL of the result, or null."""
    assembled_url_expires_at: str | None
    """When that URL expires, or null."""
    project_url: str
    """The URL of this project, to read with a credential: `GET /projects/{id}`. It has no web page."""
    webhook_url: str | None
    """The URL that its changes of status are sent to; null when none is set, or whoever set it has no access any more."""
    planner: str | None
    """The planner that works on it: `keywords`, which is built in, or the id of a model; null when somebody outside works on
    it."""
    budget: ProjectBudget | None
    """What the agent may use; null when no budget was given."""
    spent: ProjectSpent
    """What it has used as of the latest change of status, or as of now where the agent works on it no more: charged, or held
    for work that goes on."""
    left: BudgetLeft
    """What is left of the budget."""
    timeline_id: str | None
    """The timeline that the agent made, for the timelines' tools; null when there is none, or when it is deleted."""
    output_item_id: str | None
    """The item that the agent made; null when there is none, or when it is deleted."""
    assets: list[ProjectAsset]
    """The media that was made for it."""
    timeline: ProjectTimeline | None
    """How the assets are put together, or null."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ProjectAsset(Model):
    """Something that was made for a project."""

    __slots__ = ()
    ref: str
    """Its name. With `idle` and `rendering` it must be an item of the library, unless it has a `url`."""
    type: str
    """Its type, such as `image_to_video`."""
    url: str | None
    """Its http or https URL; null for an item of the library."""
    model: str | None
    """The model that made it."""
    prompt: str | None
    """The prompt that the model was given."""
    duration: float | None
    """Its duration, in seconds."""
    aspect_ratio: str | None
    """Its aspect ratio, such as `16:9`."""
    source_image_url: str | None
    """The picture that it was made from."""
    source_video_url: str | None
    """The video that it was made from."""
    reference_image_url: str | None
    """A picture that it was modelled on."""
    created_at: str | None
    """When it was made; when not given, the time of the change that added it."""


class ProjectAudio(Model):
    """The sound of a timeline."""

    __slots__ = ()
    voiceover: Any
    """The voiceover, or null."""
    music: Any
    """The music, or null."""
    tracks: list[Any] | None
    """All tracks."""


class ProjectBudget(Model):
    """What the agent may use in all of its work on the project. An absent field has no limit of its own."""

    __slots__ = ()
    minutes: float | None
    """Cloud minutes for reads and renders, with at most two decimals."""
    credits: float | None
    """AI credits for providers' models, with at most two decimals. The built-in planner uses none."""
    steps: int | None
    """Calls of tools, and requests to a model, 1 to 1000; 200 when not given."""


class ProjectDelivery(Model):
    """The one webhook of a change of status."""

    __slots__ = ()
    delivery_id: str
    """Its id."""
    project_id: str
    """The project."""
    revision: int
    """The project's revision that it reports."""
    event: ProjectState
    """The project's status that it reports; never `cancelled`."""
    url: str
    """The URL that it is sent to."""
    status: ProjectDeliveryState
    """Its status."""
    response_status: int | None
    """The receiver's HTTP status; null when there was no answer."""
    error: str | None
    """The error, or null: a word as in the log of job webhooks."""
    response_excerpt: str | None
    """The start of the receiver's answer; null when there was none."""
    response_headers: dict[str, Any] | None
    """The headers of its answer, or null: as in the log of job webhooks."""
    duration_ms: int | None
    """Its duration in milliseconds, or null."""
    created_at: str
    """When the status changed."""
    sent_at: str | None
    """When it was sent; null before."""
    finished_at: str | None
    """When its result was known; null before."""

ProjectDeliveryState = Literal['pending', 'sent', 'succeeded', 'failed', 'unknown']
"""The status of a change's webhook."""


class ProjectMessage(Model):
    """A message to the agent."""

    __slots__ = ()
    text: str
    """What to change, 1 to 4000 characters, not all of them blanks: another length, words to look for or to leave out, with
    or without music or captions. What it does not mention stays as it was."""
    budget: ProjectBudget | None
    """What the agent may use from now on, in all of its work on the project. Absent fields keep their values."""

ProjectMode = Literal['autonomous', 'manual']
"""Who works on a project."""

ProjectOutputType = Literal['assembled', 'timeline', 'clips']
"""The kinds of results of a project."""


class ProjectScene(Model):
    """One scene of a timeline."""

    __slots__ = ()
    id: str
    """Its id."""
    ref: str | None
    """The `ref` of the asset that it shows."""
    type: str | None
    """Its type."""
    position: int | None
    """Its position among the scenes."""
    duration: float | None
    """Its duration, in seconds."""
    description: str | None
    """A description of what happens in it."""
    image_url: str | None
    """The URL of its picture."""
    video_url: str | None
    """The URL of its video."""
    video_model: str | None
    """The model that made the video."""
    image_model: str | None
    """The model that made the picture."""
    prompt: str | None
    """The prompt that the model was given."""
    volume: float | None
    """Its volume."""
    fade_in: Any
    """Its fade-in, or null."""
    fade_out: Any
    """Its fade-out, or null."""


class ProjectSettings(Model):
    """A project's settings."""

    __slots__ = ()
    webhook_url: str | None
    """The URL that its changes of status are sent to, or null."""


class ProjectSpent(Model):
    """What the agent has used."""

    __slots__ = ()
    minutes: float
    """Cloud minutes."""
    credits: float
    """AI credits."""
    steps: int
    """Calls of tools, and requests to a model."""

ProjectState = Literal['running', 'generating', 'idle', 'rendering', 'failed', 'cancelled']
"""The status of a project (contract §3)."""


class ProjectStep(Model):
    """A call of a tool by a project's agent, or a request to its model."""

    __slots__ = ()
    id: str
    """Its id."""
    run_id: str
    """The run that it belongs to: the work on the brief, or on a message."""
    said: str | None
    """The message that the run is about; null for the brief."""
    number: int
    """Its number in the run, from 1. `<run_id>/<number>` is the Idempotency-Key of a call."""
    tool: str
    """The tool; `chat` when the model was asked what comes next."""
    arguments: Any
    """The arguments of the call; empty for long ones once the step has ended."""
    status: ProjectStepState
    """Its status."""
    message: str | None
    """Why the tool refused; for a `chat` that is done, what the model said and which tools it called; otherwise null."""
    began_at: str
    """When it began."""
    ended_at: str | None
    """When it ended; null before."""

ProjectStepState = Literal['begun', 'done', 'refused']
"""The status of a step."""


class ProjectTimeline(Model):
    """How a project's video is put together."""

    __slots__ = ()
    duration_seconds: float | None
    """Its duration, in seconds."""
    aspect_ratio: str | None
    """Its aspect ratio, such as `16:9`."""
    skills: list[str] | None
    """The names of the skills that were used."""
    scenes: list[ProjectScene] | None
    """The scenes, in their order."""
    audio: ProjectAudio | None
    """The sound."""
    overlays: list[Any] | None
    """The overlays over the scenes."""
    captions: Any
    """The captions, or null."""


class PublicLink(Model):
    """A public link, without its URL."""

    __slots__ = ()
    id: str
    """Its id."""
    item_id: str
    """The item."""
    ref: str
    """The item's ref, or its id when it has none."""
    rights: list[LinkRight]
    """What its visitors may do."""
    has_passphrase: bool
    """Whether its visitors must enter a passphrase."""
    live: bool
    """Whether it works now."""
    expires_at: str
    """When it expires."""
    revoked_at: str | None
    """When it was revoked; null when it has not been."""
    views: int
    """The number of times that its page was requested."""
    last_viewed_at: str | None
    """When its page was last requested; null when it never was."""
    created_at: str
    """When it was made."""
    created_by: str | None
    """The id of the user or the key that made it, or null."""


class PublicLinkAnswer(Model):
    """A link."""

    __slots__ = ()
    link: PublicLink
    """The link."""


class PublicLinkPage(Model):
    """A page of the workspace's links."""

    __slots__ = ()
    links: list[PublicLink]
    """The links, newest first."""
    has_more: bool
    """Whether there are links after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the links after these; null on the last page."""


class PullPosts(Model):
    """Which posts to pull."""

    __slots__ = ()
    url: str
    """The URL of a feed or a page: HTTPS and publicly reachable, as each of up to five redirects must be."""
    limit: int | None
    """The number of posts to take from a feed, 1 to 50; 50 when not given."""


class PulledPosts(Model):
    """The posts that were pulled."""

    __slots__ = ()
    posts: list[Post]
    """The posts, in the feed's order."""


class PutMember(Model):
    """A membership to give or to change."""

    __slots__ = ()
    workspace_id: str
    """The workspace; its account may be another than the user's."""
    user_id: str
    """The user."""
    role: RoleWord
    """The role to give."""

RanOn = Literal['cloud']
"""Where the work ran (contract §2, `ran_on`)."""


class ReadEngine(Model):
    """The engine that computed a read."""

    __slots__ = ()
    name: str
    """Its name."""
    version: str
    """Its version."""
    model: str | None
    """The model that it ran; null when it ran none."""

ReadFormat = Literal['json', 'txt', 'srt', 'vtt']
"""The format of a stored read."""

ReadKind = Literal['transcript', 'search_index', 'speech', 'speakers', 'beats', 'levels']
"""A read kind (contract §2)."""


class ReadOneItem(Model):
    """The item to read."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    dry_run: bool | None
    """`true` returns what the call would start and hold, and starts nothing."""

ReadQuality = Literal['standard', 'draft']
"""How reliable a read is."""


class ReadRates(Model):
    """Minutes charged for each minute of media, by read (contract §10) and for a render."""

    __slots__ = ()
    transcript: float
    """For the `transcript` read."""
    search_index: float
    """For the `search_index` read."""
    speech: float
    """For the `speech` read."""
    speakers: float
    """For the `speakers` read."""
    beats: float
    """For the `beats` read."""
    levels: float
    """For the `levels` read."""
    render: float
    """For a render: a new item made of others."""
    generation: float
    """For a generation by a built-in engine."""
    dub: float
    """For a dub: speech translated into another language."""


class ReadReason(Model):
    """The reason why a read was not started."""

    __slots__ = ()
    code: str
    """One of the documented reasons, such as `no_audio`, `item_not_ready` or `insufficient_minutes`."""
    message: str
    """What can be done about it."""

ReadStatus = Literal['ready', 'queued', 'startable', 'skipped', 'held', 'refused']
"""The outcome of a read (contract §3)."""


class ReadsOnReady(Model):
    """Reads that start once their item is ready."""

    __slots__ = ()
    reads: list[str]
    """The reads that were requested."""
    answers: list[PreparedRead] | None
    """The outcome of each, as in `prepare_media`. Null until they are started: while the item is not ready, while the
    account must wait before it may start jobs, and always for a failed item."""

Reason = Literal['user', 'operator', 'too_many_failures', 'suspended']
"""Why an endpoint is disabled."""


class ReceivedBytes(Model):
    """Bytes that arrived."""

    __slots__ = ()
    id: str
    """The upload's id."""
    received_bytes: int
    """The number of bytes that arrived."""
    sha256: str
    """Their SHA-256 in hexadecimal."""


class RedeemCode(Model):
    """A code to redeem."""

    __slots__ = ()
    code: str
    """The code that `get_api_session` returned; it starts with `esx_`."""


class RemoveSilence(Model):
    """Which item to cut, and how closely."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    min_silence_ms: int | None
    """Milliseconds of the shortest silence that is cut, 100 to 60000; when not given, the value of the settings, or else
    500."""
    padding_ms: int | None
    """Milliseconds that stay before and after speech, 0 to 5000; when not given, the value of the settings, or else 50."""
    render: bool | None
    """Whether to make a new item of what is kept; false when not given."""
    timeline: bool | None
    """Whether to make a timeline of it, which can be edited, exported and rendered; false when not given. Not with `render`."""
    dry_run: bool | None
    """`true` returns what the call would start and hold, and starts nothing: the read, or the render once the read is
    stored."""


class RenderCanvas(Model):
    """Which canvas to render, and how."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    format: PictureFormat | None
    """The format of the picture; `png` when not given."""
    scale: float | None
    """Pixels of the picture for each pixel of the canvas, 0.01 to 8; 1 when not given."""
    values: dict[str, Any] | None
    """Values for the placeholders, by their names. Every placeholder of the canvas needs one."""
    dry_run: bool | None
    """`true` returns what the call would hold, and starts nothing."""


class RenderDub(Model):
    """Which dub to speak."""

    __slots__ = ()
    dub_id: str
    """The dub."""
    dry_run: bool | None
    """`true` returns what the call would hold, and starts nothing."""

RenderFormat = Literal['mp4', 'webm', 'mov', 'mp3', 'wav']
"""The formats of rendered timelines."""

RenderQuality = Literal['draft', 'standard']
"""The quality of a render."""


class RenderTimeline(Model):
    """Which timeline to render, and how."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    format: RenderFormat | None
    """The format of the film; `mp4` when not given."""
    quality: RenderQuality | None
    """The quality; `standard` when not given."""
    dry_run: bool | None
    """`true` returns what the call would hold, and starts nothing."""


class RenderedCanvas(Model):
    """The state of a render."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    revision: int
    """The revision that is rendered."""
    width: int
    """The picture's width, in pixels."""
    height: int
    """The picture's height, in pixels."""
    status: NeedStatus
    """Whether the picture is ready."""
    job_id: str | None
    """The job that renders it; only when queued."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    output_item_id: str | None
    """The rendered item; only when ready."""
    warnings: list[str]
    """What the picture lacks of the canvas, in whole sentences."""


class RenderedTimeline(Model):
    """The state of a render."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    revision: int
    """The revision that is rendered."""
    duration_seconds: float
    """The film's duration, in seconds."""
    status: NeedStatus
    """Whether the film is ready."""
    job_id: str | None
    """The job that renders it; only when queued."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    output_item_id: str | None
    """The rendered item; only when ready."""
    warnings: list[str]
    """What the film lacks of the timeline, in whole sentences."""

ReportedStatus = Literal['running', 'generating', 'idle', 'rendering', 'failed']
"""A status that a webhook reports: every one but `cancelled` (contract §6.2.2)."""


class Resend(Model):
    """What to send again: exactly one of the two fields."""

    __slots__ = ()
    delivery_id: str | None
    """The delivery to send again."""
    since: str | None
    """Every event since this time whose last delivery failed or was skipped."""


class ResendAll(Model):
    """Which events to send again: those whose last delivery to an endpoint failed or was skipped."""

    __slots__ = ()
    dry_run: bool | None
    """`true` sends nothing, and counts what would be sent."""
    since: str
    """Only deliveries created at or after this time."""
    until: str | None
    """Only deliveries created before this time; until now, if absent."""
    account_id: str | None
    """Only deliveries to endpoints of this account."""
    endpoint_id: str | None
    """Only deliveries to this endpoint."""
    status: Unarrived | None
    """Only deliveries with this status."""
    event_type: Kind | None
    """Only events of this type."""
    http_status: int | None
    """Only deliveries whose last answer had this HTTP status."""
    error: str | None
    """Only deliveries whose last attempt had this error, such as `tls_failed`."""


class ResentAll(Model):
    """The result of a resend, or of its dry run."""

    __slots__ = ()
    dry_run: bool
    """Whether it was a dry run, which sends nothing."""
    until: str
    """Only deliveries created before this time were looked at: the `until` of the request, or now. A bulk operation with the
    same filters and this `until` sends what was counted."""
    resent: int
    """The number of deliveries that were started, or would be."""
    endpoints: list[ResentTo]
    """How many of them each endpoint is sent, or would be."""
    disabled: int
    """The number of events to endpoints that are disabled: those are not sent."""
    has_more: bool
    """Whether more events match: send the request again."""


class ResentSince(Model):
    """The result of a resend with `since`."""

    __slots__ = ()
    resent: int
    """The number of deliveries that were started."""
    has_more: bool
    """Whether more events match: call again."""


class ResentTo(Model):
    """The result of a resend, or of its dry run, for one endpoint."""

    __slots__ = ()
    endpoint_id: str
    """The endpoint."""
    account_id: str
    """Its account."""
    resent: int
    """The number of deliveries that were started, or would be."""


class RetentionAnswer(Model):
    """How long rows are kept, and how large the tables are."""

    __slots__ = ()
    kept: list[KeptRows]
    """What is deleted once it is old enough."""
    tables: list[OperatorTable]
    """All tables, the largest first."""


class RevokeCalendarFeed(Model):
    """Which feed."""

    __slots__ = ()
    feed_id: str
    """The feed's id, which is not a part of its URL."""


class RevokePublicLink(Model):
    """Which link."""

    __slots__ = ()
    link_id: str
    """The link's id, which is not a part of its URL."""


class RevokedCalendarFeed(Model):
    """The feed that was revoked."""

    __slots__ = ()
    feed_id: str
    """Its id."""
    revoked: Literal[True]
    """Always true."""

RoleWord = Literal['viewer', 'editor', 'owner']
"""A role in a workspace; each includes the rights of those before it."""


class RunTemplate(Model):
    """Which template to run, and what to change for this run."""

    __slots__ = ()
    name: str
    """Its name."""
    overrides: dict[str, Any] | None
    """Arguments to add to the template's or to replace them, by name; a value of null removes one."""


class SaveSkill(Model):
    """A skill to save."""

    __slots__ = ()
    name: str
    """Its name, 1 to 200 characters; calls find it by that."""
    text: str
    """Its text, as Markdown: 1 to 20,000 bytes."""
    description: str | None
    """When to use it, at most 500 characters on one line."""
    if_revision: int | None
    """The revision to replace, or 0 when there should be no skill of this name. If it has another revision: 409
    `revision_conflict`; if 0 was given and it exists: 409 `name_taken`. Without it, whatever exists is replaced."""


class SaveTemplate(Model):
    """A template to save."""

    __slots__ = ()
    name: str
    """Its name, 1 to 200 characters; calls find it by that."""
    tool: str
    """The tool to call: any but `run_template`."""
    arguments: dict[str, Any]
    """The arguments of the call. Required arguments may be absent if every run adds them."""
    if_revision: int | None
    """The revision to replace, or 0 when there should be no template of this name. If it has another revision: 409
    `revision_conflict`; if 0 was given and it exists: 409 `name_taken`. Without it, whatever exists is replaced."""

SceneFit = Literal['contain', 'cover']
"""How a picture with another aspect ratio is fitted into the timeline's."""


class SceneTransition(Model):
    """The transition from one scene to the next."""

    __slots__ = ()
    kind: TransitionKind
    """Its kind."""
    seconds: float | None
    """The duration of a crossfade in seconds, at most 10 and at most half of the shorter scene."""

SceneType = Literal['clip', 'image', 'color']
"""The types of scenes."""


class ScriptSegment(Model):
    """A segment of a script."""

    __slots__ = ()
    start: float
    """When it begins, in seconds."""
    end: float
    """When it ends, in seconds."""
    text: str
    """The words to speak, 1 to 1,000 characters, not all of them blank: what is silent is no part of a script."""
    speaker: str | None
    """The speaker's name; `speaker_1` when not given."""


class Secret(Model):
    """The account's signing secret."""

    __slots__ = ()
    secret: str
    """The secret with its prefix `whsec_`: the whole text is the key of the signature."""
    created_at: str
    """When it was made."""
    previous_expires_at: str | None
    """Until when the previous secret verifies too; null when there is none."""


class SentAttempt(Model):
    """One attempt, with the request that was sent."""

    __slots__ = ()
    attempt: int
    """Its number, as in `Service-Attempt`."""
    at: str
    """When it began."""
    duration_ms: int
    """Its duration, in milliseconds."""
    times: AttemptTimes
    """How long its steps took."""
    request_host: str | None
    """The host that it was sent to, with the port unless that is the scheme's; null when nothing is known to have been sent."""
    request_path: str | None
    """The path of the request, without the query string, or null."""
    request_headers: dict[str, Any] | None
    """The headers that were sent, including the signature, or null."""
    response_status: int | None
    """The receiver's HTTP status; null when there was no answer."""
    error: str | None
    """The error, or null: a word as in the list of deliveries."""
    response_excerpt: str | None
    """The start of the receiver's answer, at most 1 KiB; null when there was none."""
    response_headers: dict[str, Any] | None
    """The headers of its answer, or null: as in the list of deliveries."""
    clock_ahead_seconds: int | None
    """By how many seconds the receiver's clock was ahead of ours, or null: as in the list of deliveries."""


class SessionCodeAnswer(Model):
    """A session code."""

    __slots__ = ()
    code: str
    """Starts with `esx_`; `POST /sessions/redeem` takes it once."""
    expires_in: int
    """Seconds for which it can be redeemed."""


class SessionTokenAnswer(Model):
    """A script session's token."""

    __slots__ = ()
    token: str
    """The bearer token."""
    token_type: TokenType
    """Always `Bearer`."""
    expires_in: int
    """Seconds for which it is valid: 1800."""
    expires_at: str
    """When it expires."""
    workspace_id: str
    """The workspace in which it works."""


class SettingsAnswer(Model):
    """The settings."""

    __slots__ = ()
    settings: WorkspaceSettings
    """The settings."""


class SilenceAnswer(Model):
    """The parts of an item to keep, or the job that computes them; with `render`, also the state of the new item."""

    __slots__ = ()
    ref: str
    """The ref or id that the request named."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether everything that was asked for is ready."""
    job_id: str | None
    """The job to follow with `get_jobs`; only when queued. Without `keep` it computes the speech read: call again when it
    has ended. With `keep` it is the render."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    keep: list[KeptSpan] | None
    """The parts to keep, in order and without overlaps; only once the speech read is stored."""
    removed_seconds: float | None
    """Seconds that are removed."""
    output_item_id: str | None
    """The rendered item; only when asked for and ready."""
    timeline_id: str | None
    """The timeline that was made; only when asked for."""


class Skill(Model):
    """A skill."""

    __slots__ = ()
    name: str
    """Its name."""
    description: str | None
    """When to use it; null when nobody said."""
    text: str
    """Its text, as Markdown."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    created_at: str
    """When it was first saved."""
    updated_at: str
    """When it was last changed."""


class SkillAnswer(Model):
    """A skill."""

    __slots__ = ()
    skill: Skill
    """The skill."""


class SkillPage(Model):
    """A page of the workspace's skills."""

    __slots__ = ()
    skills: list[ListedSkill]
    """The skills, newest first."""
    has_more: bool
    """Whether there are skills after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the skills after these; null on the last page."""


class SkippedFor(Model):
    """How many failed reads were skipped for one reason."""

    __slots__ = ()
    reason: str
    """The reason: the code of `prepare_media`'s answer (such as `insufficient_minutes` or `queue_full`) or of the refusal
    (such as `account_suspended`, or `rate_limited` where other changes of the account that pays were under way for
    too long); `stored` and `under_way` for reads that are; `matched_no_longer` for those that somebody ran again or
    deleted meanwhile."""
    count: int
    """How many."""


class SpeakerTurn(Model):
    """A stretch in which one speaker speaks."""

    __slots__ = ()
    start: float
    """When it begins, in seconds."""
    end: float
    """When it ends, in seconds."""
    speaker: str
    """The speaker's name."""


class SpeakerVoice(Model):
    """The voice of a speaker."""

    __slots__ = ()
    speaker: str
    """The speaker's name in the `speakers` read or in the script."""
    voice: str
    """The voice, by its engine's name for it: for English one of `flite`'s, otherwise of `espeak-ng`'s, such as `es+f3`."""


class SpeakersAnswer(Model):
    """The turns of an item's speakers, or the job that computes them."""

    __slots__ = ()
    ref: str
    """The ref or id that the request named."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether the read is stored."""
    job_id: str | None
    """The job that computes it; only when queued. Follow it with `get_jobs`, then call again."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    speakers: StoredReadSpeakersData | None
    """The read; only when ready."""
    speech: StoredReadSpeechData | None
    """The speech read that it builds on; only when that is stored too."""


class SpeakersData(Model):
    """The speakers of an item, and their turns."""

    __slots__ = ()
    speakers: list[str]
    """The speakers' names, in the order in which they first speak."""
    segments: list[SpeakerTurn]
    """Their turns."""


class SpeechData(Model):
    """The stretches of an item in which somebody speaks."""

    __slots__ = ()
    segments: list[SpeechSegment]
    """The stretches of speech."""
    speech_ratio: float
    """The fraction of the media that is speech, 0 to 1."""


class SpeechSegment(Model):
    """A stretch of speech."""

    __slots__ = ()
    start: float
    """When it begins, in seconds."""
    end: float
    """When it ends, in seconds."""
    confidence: float
    """The mean probability of a voice in it, 0 to 1."""


class StartBulkOperation(Model):
    """A bulk operation to start."""

    __slots__ = ()
    name: str
    """Its name, which no other one has. A request that is sent again with the same name, filters and pace starts nothing,
    and is answered with the operation."""
    kind: BulkKindWord
    """What it does."""
    pace: int | None
    """How many deliveries are sent each second, so that a receiver that has just come back gets no more than it can take; up
    to 500, if absent. Not with the kind `rerun_reads`."""
    read: ReadKind | None
    """Only this read; with the kind `rerun_reads` alone."""
    error_code: str | None
    """Only reads that failed with this job error code; with the kind `rerun_reads` alone."""
    since: str
    """Only deliveries created at or after this time."""
    until: str | None
    """Only deliveries created before this time; until now, if absent."""
    account_id: str | None
    """Only deliveries to endpoints of this account."""
    endpoint_id: str | None
    """Only deliveries to this endpoint."""
    status: Unarrived | None
    """Only deliveries with this status."""
    event_type: Kind | None
    """Only events of this type."""
    http_status: int | None
    """Only deliveries whose last answer had this HTTP status."""
    error: str | None
    """Only deliveries whose last attempt had this error, such as `tls_failed`."""


class StatementAnswer(Model):
    """A month of the account's journal. What was before the month and the changes of its entries add up to what is after."""

    __slots__ = ()
    month: str
    """The month, such as `2026-11`."""
    minutes: MinuteSums
    """The month's own minutes, which begin with its allowance and lapse at its end."""
    bought_minutes: MinuteSums
    """Bought minutes."""
    credits: CreditSums
    """AI credits."""
    adds_up: bool
    """Whether the account's balances are what its whole journal adds up to, looked at for this answer."""
    data: list[StatementEntry]
    """The month's entries, newest first. A hold is none: minutes that are held are still the account's."""
    has_more: bool
    """Whether there are entries after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the entries after these; null on the last page."""


class StatementEntry(Model):
    """An entry of the journal."""

    __slots__ = ()
    at: str
    """When it was written. A job's charge belongs to the month in which the job was started."""
    kind: str
    """`grant` (the month's allowance), `purchase`, `adjustment`, `charge` (of a job that succeeded) or `release` (of a job
    that failed or was cancelled, and cost nothing)."""
    job_id: str | None
    """The job that ended; null for an entry without a job."""
    reference: str | None
    """The deployment's own name for it, such as an invoice's number, or null."""
    minutes: float
    """By how much it changed the month's minutes."""
    bought_minutes: float
    """By how much it changed the bought minutes."""
    credits: float
    """By how much it changed the AI credits."""
    held_minutes: float | None
    """The minutes that were held for the job, the most that it could cost; null for an entry without a job."""
    held_credits: float | None
    """The AI credits that were held for the job; null for an entry without a job."""

Status = Literal['pending', 'succeeded', 'failed', 'skipped', 'cancelled']
"""The status of a delivery."""


class StoredReadBeatsData(Model):
    """A stored read. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this schema."""
    kind: ReadKind
    """The kind of read."""
    engine: ReadEngine
    """The engine that computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How reliable it is."""
    warnings: list[str]
    """What a reader of it should know, in whole sentences."""
    data: BeatsData
    """The result; its shape depends on `kind`."""


class StoredReadSpeakersData(Model):
    """A stored read. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this schema."""
    kind: ReadKind
    """The kind of read."""
    engine: ReadEngine
    """The engine that computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How reliable it is."""
    warnings: list[str]
    """What a reader of it should know, in whole sentences."""
    data: SpeakersData
    """The result; its shape depends on `kind`."""


class StoredReadSpeechData(Model):
    """A stored read. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this schema."""
    kind: ReadKind
    """The kind of read."""
    engine: ReadEngine
    """The engine that computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How reliable it is."""
    warnings: list[str]
    """What a reader of it should know, in whole sentences."""
    data: SpeechData
    """The result; its shape depends on `kind`."""


class StoredReadTranscriptData(Model):
    """A stored read. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this schema."""
    kind: ReadKind
    """The kind of read."""
    engine: ReadEngine
    """The engine that computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How reliable it is."""
    warnings: list[str]
    """What a reader of it should know, in whole sentences."""
    data: TranscriptData
    """The result; its shape depends on `kind`."""


class StoredStamp(Model):
    """A read that is stored."""

    __slots__ = ()
    stored_at: str
    """When it was stored."""

Subscribed = Literal['job.succeeded', 'job.failed', 'job.cancelled']
"""The event types that an endpoint can subscribe to (contract §2)."""


class SuspendAccount(Model):
    """The reason for a suspension, and whether it ends the account's work."""

    __slots__ = ()
    reason: str
    """The reason, as a text that the account's callers are shown."""
    end_work: bool | None
    """`true` also cancels the jobs that the account pays for, and ends its uploads and imports."""


class SuspendedAccount(Model):
    """A suspended account, and how much of its work was ended."""

    __slots__ = ()
    account: OperatorAccount
    """The account."""
    ended_jobs: int
    """The number of jobs that were cancelled, or asked to stop."""
    ended_uploads: int
    """The number of uploads and imports that were ended."""


class TakeLease(Model):
    """How long to hold back an item's reads."""

    __slots__ = ()
    seconds: int
    """Seconds from now at which the lease ends, also if the item already has a lease."""


class Template(Model):
    """A template."""

    __slots__ = ()
    name: str
    """Its name."""
    tool: str
    """The tool that it calls."""
    arguments: dict[str, Any]
    """The arguments of the call."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    created_at: str
    """When it was first saved."""
    updated_at: str
    """When it was last changed."""


class TemplateAnswer(Model):
    """A template."""

    __slots__ = ()
    template: Template
    """The template."""


class TemplatePage(Model):
    """A page of the workspace's templates."""

    __slots__ = ()
    templates: list[ListedTemplate]
    """The templates, newest first."""
    has_more: bool
    """Whether there are templates after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the templates after these; null on the last page."""


class TempoPoint(Model):
    """The tempo at a time."""

    __slots__ = ()
    time: float
    """The time, in seconds."""
    bpm: float
    """Beats per minute."""


class TextLook(Model):
    """The style of a text."""

    __slots__ = ()
    color: str | None
    """The letters' colour, such as `#ffffff`, which is the default."""
    background: str | None
    """The colour behind the letters; none when absent. For captions without a `color`, it is the settings' or the brand
    kit's when absent, and none when it is empty."""
    size: float | None
    """The height of a line, 0.01 to 0.5 of the picture's height; 0.06 when absent."""
    family: str | None
    """One of the `families` that `get_brand_kit` lists; the first of them when absent, or where the text has letters that
    the others lack."""


class Timeline(Model):
    """A timeline. Times are seconds."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """Its name."""
    revision: int
    """Its revision: 1 when created, then one higher with every change."""
    duration_seconds: float
    """Its duration, in seconds."""
    aspect_ratio: str
    """The picture's aspect ratio, such as `16:9`."""
    width: int
    """The picture's width, in pixels."""
    height: int
    """The picture's height, in pixels."""
    fps: float
    """Frames per second."""
    language: str | None
    """The language that is spoken in it; null when it is not set."""
    variant_of: str | None
    """The timeline of which it is a variant; null when it is none, or when that timeline is deleted."""
    skills: list[str]
    """The names of the skills that guide it."""
    scenes: list[TimelineScene]
    """The scenes, in order."""
    audio: TimelineAudio
    """The sound besides that of the scenes."""
    overlays: list[TimelineOverlay]
    """The pictures and texts over the scenes; later ones cover earlier ones."""
    captions: CaptionText | None
    """The captions; null when there are none."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class TimelineAnswer(Model):
    """A timeline."""

    __slots__ = ()
    timeline: Timeline
    """The timeline."""


class TimelineAudio(Model):
    """The sound of a timeline besides that of its scenes."""

    __slots__ = ()
    voiceover: TimelineTrack | None
    """The voice over the whole film; null when there is none."""
    music: TimelineTrack | None
    """The music under the whole film; null when there is none."""
    tracks: list[TimelineTrack]
    """All other tracks."""


class TimelineOp(Model):
    """One change to a timeline. Times are seconds. A field that the operation does not take is refused."""

    __slots__ = ()
    op: TimelineOpKind
    """The operation."""
    scene_id: str | None
    """The scene's id. For a new one: 1 to 64 letters, digits, `-` and `_`; one is generated when absent."""
    new_scene_id: str | None
    """The id of the scene that a split makes."""
    track_id: str | None
    """The track's id. For a new one: like `scene_id`."""
    overlay_id: str | None
    """The overlay's id. For a new one: like `scene_id`."""
    slot: AudioSlot | None
    """The voiceover or the music."""
    position: int | None
    """The scene's index from 0, counted without the scene that moves; the end when absent."""
    ref: str | None
    """The item to show or to play: its ref, its id, or the id of the job that made it."""
    type: SceneType | None
    """The type of a scene; when absent, it follows from the item or the colour."""
    kind: OverlayType | None
    """The type of an overlay; when absent, it follows from the item or the text."""
    color: str | None
    """The colour of a scene, such as `#1a2b3c`."""
    start: float | None
    """The time in its item at which a scene or a track begins; the time in the timeline at which an overlay appears."""
    offset: float | None
    """The time in the timeline at which a track begins."""
    duration: float | None
    """Its duration; when absent, to the end of its item, and 5 s for a still."""
    at: float | None
    """The time in the scene at which it is split."""
    fit: SceneFit | None
    """How a scene's picture is fitted into the timeline's; `contain` when absent."""
    volume: float | None
    """The factor for its loudness, 0 to 4; 1 leaves it unchanged."""
    fade_in: float | None
    """Seconds that it takes to rise from silence, and a scene's picture from black."""
    fade_out: float | None
    """Seconds that it takes to fall to silence, and a scene's picture to black."""
    transition: SceneTransition | None
    """The transition from the scene before to this one."""
    description: str | None
    """A description of the scene, at most 2,000 characters."""
    prompt: str | None
    """The prompt that its picture is generated from, at most 2,000 characters."""
    image_model: str | None
    """The model that makes its image."""
    video_model: str | None
    """The model that makes its video."""
    duck_under_voice: bool | None
    """Whether a track is turned down while the voiceover or a scene speaks, where their `speech` reads are stored."""
    duck_db: float | None
    """Decibels by which it is turned down, 0 to 60; 12 when absent."""
    attack_ms: int | None
    """Milliseconds that the fall takes, 10 to 10000; 200 when absent."""
    release_ms: int | None
    """Milliseconds that the rise takes, 10 to 10000; 500 when absent."""
    text: str | None
    """The text of an overlay, at most 2,000 characters."""
    x: float | None
    """An overlay's left edge, 0 to 1 of the picture's width."""
    y: float | None
    """An overlay's upper edge, 0 to 1 of the picture's height."""
    width: float | None
    """An overlay's width, 0 to 1 of the picture's; in `set_format`, the picture's width in pixels."""
    height: float | None
    """An overlay's height, 0 to 1 of the picture's; in `set_format`, the picture's height in pixels."""
    opacity: float | None
    """An overlay's opacity, 0 to 1."""
    style: TextLook | None
    """The style of an overlay's text."""
    captions: CaptionText | None
    """The captions."""
    aspect_ratio: str | None
    """The aspect ratio of the picture, such as `9:16`; the shorter side stays."""
    fps: float | None
    """Frames per second: a whole number from 1 to 60, or 23.976, 29.97 or 59.94."""
    language: str | None
    """The language that is spoken, such as `en`."""
    skills: list[str] | None
    """Names of skills of the workspace that guide the timeline, at most 50."""
    variant_of: str | None
    """The timeline of which it is a variant."""

TimelineOpKind = Literal['add_scene', 'update_scene', 'move_scene', 'remove_scene', 'split_scene', 'set_audio', 'add_track', 'update_track', 'remove_track', 'add_overlay', 'update_overlay', 'remove_overlay', 'set_captions', 'set_format', 'set_details']
"""The kinds of operations."""


class TimelineOverlay(Model):
    """A picture or a text over the scenes. Times are seconds."""

    __slots__ = ()
    id: str
    """Its id, unique in its timeline."""
    kind: OverlayType
    """Its type."""
    ref: str | None
    """The ref of its item, or its id when it has none; null without an item, and when the item is deleted."""
    item_id: str | None
    """The item of its picture; null when it is a text."""
    item_deleted: bool
    """Whether that item is deleted."""
    text: str | None
    """Its text; null when it is a picture."""
    start: float
    """The time in the timeline at which it appears."""
    duration: float
    """Its duration."""
    x: float
    """Its left edge, 0 to 1 of the picture's width."""
    y: float
    """Its upper edge, 0 to 1 of the picture's height."""
    width: float
    """Its width, 0 to 1 of the picture's."""
    height: float
    """Its height, 0 to 1 of the picture's."""
    opacity: float
    """Its opacity, 0 to 1."""
    style: TextLook
    """The style of its text."""


class TimelinePage(Model):
    """A page of the workspace's timelines."""

    __slots__ = ()
    timelines: list[ListedTimeline]
    """The timelines, newest first."""
    has_more: bool
    """Whether there are timelines after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the timelines after these; null on the last page."""


class TimelineScene(Model):
    """A scene. Times are seconds."""

    __slots__ = ()
    id: str
    """Its id, unique in its timeline."""
    ref: str | None
    """The ref of its item, or its id when it has none; null without an item, and when the item is deleted."""
    item_id: str | None
    """The item that it shows."""
    item_deleted: bool
    """Whether that item is deleted."""
    type: SceneType
    """Its type."""
    position: int
    """Its index, from 0."""
    start: float
    """The time in its item at which it begins."""
    duration: float
    """Its duration."""
    begins_at: float
    """The time in the timeline at which it begins."""
    color: str | None
    """Its colour, such as `#1a2b3c`, or null."""
    fit: SceneFit
    """How its picture is fitted into the timeline's."""
    volume: float
    """The factor for its loudness, 0 to 4; 1 leaves it unchanged."""
    fade_in: float | None
    """Seconds of its fade-in; null when it has none."""
    fade_out: float | None
    """Seconds of its fade-out; null when it has none."""
    transition: SceneTransition
    """The transition from the scene before. A crossfade lasts at most half of the shorter of the two."""
    description: str | None
    """A description of it, or null."""
    prompt: str | None
    """The prompt that its picture is generated from, or null."""
    image_model: str | None
    """The model that makes its image."""
    video_model: str | None
    """The model that makes its video."""
    image_url: str | None
    """A link to its picture; only in `get_timeline`, and only if it shows a picture."""
    video_url: str | None
    """A link to its video; only in `get_timeline`, and only if it shows a video."""


class TimelineTrack(Model):
    """A sound at a place of the timeline. Times are seconds."""

    __slots__ = ()
    id: str
    """Its id, unique in its timeline."""
    ref: str | None
    """The ref of its item, or its id when it has none; null when the item is deleted."""
    item_id: str
    """The item that is heard."""
    item_deleted: bool
    """Whether that item is deleted."""
    start: float
    """The time in its item at which it begins."""
    offset: float
    """The time in the timeline at which it begins."""
    duration: float
    """Its duration."""
    volume: float
    """The factor for its loudness, 0 to 4; 1 leaves it unchanged."""
    fade_in: float | None
    """Seconds of its fade-in; null when it has none."""
    fade_out: float | None
    """Seconds of its fade-out; null when it has none."""
    duck_under_voice: bool
    """Whether it is turned down while somebody speaks."""
    duck_db: float | None
    """Decibels by which it is turned down; null when it is not."""

TokenType = Literal['Bearer']
"""How a token is sent."""


class Tool(Model):
    """A tool."""

    __slots__ = ()
    name: str
    """Its name: `POST /tools/<name>` calls it."""
    tag: str
    """Its group."""
    description: str
    """Its description."""
    cloud: bool
    """Whether it may start cloud processing, which is measured in minutes."""
    input_schema: Any
    """The JSON Schema (OpenAPI 3.0) of its request body, without references."""


class ToolAnswerBalancesAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: BalancesAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerBeatsAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: BeatsAnswer
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerBoardAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: BoardAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerBoardPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: BoardPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerBrandKitAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: BrandKitAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCalendarEntryAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CalendarEntryAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCalendarFeedList(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CalendarFeedList
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCalendarPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CalendarPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCancelJobsAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CancelJobsAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCanvasAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CanvasAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCanvasPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CanvasPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCommentAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CommentAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCommentPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CommentPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCostEstimate(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CostEstimate
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCreatedCalendarFeed(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CreatedCalendarFeed
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerCreatedPublicLink(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: CreatedPublicLink
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedBoard(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedBoard
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedCalendarEntry(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedCalendarEntry
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedCanvas(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedCanvas
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedComment(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedComment
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedDub(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedDub
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedItem(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedItem
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedPost(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedPost
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedSkill(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedSkill
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedTemplate(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedTemplate
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDeletedTimeline(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DeletedTimeline
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDubAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DubAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDubPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DubPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDubStanding(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DubStanding
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDuckAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DuckAnswer
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerExportedTimeline(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: ExportedTimeline
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerFootageMatches(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: FootageMatches
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerGenerationAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: GenerationAnswer
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerImportedTimeline(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: ImportedTimeline
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerItemAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: ItemAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerItemPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: ItemPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerJobsAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: JobsAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerModelPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: ModelPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerOverviewAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: OverviewAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerPostAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: PostAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerPostPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: PostPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerPreparedMedia(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: PreparedMedia
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerPublicLinkAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: PublicLinkAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerPublicLinkPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: PublicLinkPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerPulledPosts(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: PulledPosts
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerRenderedCanvas(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: RenderedCanvas
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerRenderedTimeline(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: RenderedTimeline
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerRevokedCalendarFeed(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: RevokedCalendarFeed
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerSessionCodeAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: SessionCodeAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerSettingsAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: SettingsAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerSilenceAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: SilenceAnswer
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerSkillAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: SkillAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerSkillPage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: SkillPage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerSpeakersAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: SpeakersAnswer
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerTemplateAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: TemplateAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerTemplatePage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: TemplatePage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerTimelineAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: TimelineAnswer
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerTimelinePage(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: TimelinePage
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerTranscriptAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: TranscriptAnswer
    """The tool's result."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerFields(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: dict[str, Any]
    """The tool's result."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolList(Model):
    """The tools."""

    __slots__ = ()
    data: list[Tool]
    """All tools, ordered by name."""
    has_more: bool
    """Always false: one page has all tools."""
    next_cursor: str | None
    """Always null."""


class TranscribeMedia(Model):
    """The item to transcribe, and the form of the text."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    format: ReadFormat | None
    """`txt`, `srt` and `vtt` return the transcript as `text` in that form; `json`, the default, returns it as `transcript`."""
    dry_run: bool | None
    """`true` returns what the call would start and hold, and starts nothing."""


class TranscriptAnswer(Model):
    """An item's transcript, or the job that computes it."""

    __slots__ = ()
    ref: str
    """The ref or id that the request named."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether the read is stored."""
    job_id: str | None
    """The job that computes it; only when queued. Follow it with `get_jobs`, then call again."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be held; only when queued or startable."""
    transcript: StoredReadTranscriptData | None
    """The read; only when ready, and not requested in another form."""
    format: ReadFormat | None
    """The form of `text`; only when `text` is there."""
    text: str | None
    """The transcript in that form; only when ready."""


class TranscriptData(Model):
    """The words that are spoken in an item."""

    __slots__ = ()
    language: str | None
    """The language in ISO 639-1, or as a transcription server names it; null when nothing was said."""
    text: str
    """The whole text, one line for each segment."""
    segments: list[TranscriptSegment]
    """The text, by segments."""
    words: list[TranscriptWord]
    """The text, by words."""


class TranscriptSegment(Model):
    """Words that belong together."""

    __slots__ = ()
    id: str
    """`s1`, `s2`, …"""
    start: float
    """When its first word begins, in seconds."""
    end: float
    """When its last word ends, in seconds."""
    text: str
    """Its text."""
    speaker: str | None
    """The speaker of most of it; absent while no speakers are stored on the item, and where no speaker was found."""


class TranscriptWord(Model):
    """A word."""

    __slots__ = ()
    word: str
    """The word as the engine wrote it."""
    start: float
    """When it begins, in seconds."""
    end: float
    """When it ends, in seconds."""
    confidence: float | None
    """The engine's confidence, 0 to 1; null when the engine gives none."""

TransitionKind = Literal['cut', 'crossfade']
"""The kinds of transitions."""


class TroubledEndpoint(Model):
    """An endpoint that its owner should check."""

    __slots__ = ()
    id: str
    """Its id."""
    enabled: bool
    """Whether events are sent to it."""
    consecutive_failures: int
    """The number of failed attempts since the last success."""

Unarrived = Literal['failed', 'skipped']
"""The final status of a delivery that did not arrive."""


class UndoBoard(Model):
    """Which board to restore."""

    __slots__ = ()
    board_id: str
    """The board."""
    if_revision: int | None
    """The revision to undo. If the board has another one: 409 `revision_conflict`."""


class UndoBrandKit(Model):
    """Which change of the brand kit to undo."""

    __slots__ = ()
    if_revision: int | None
    """The revision to undo. If the kit has another one: 409 `revision_conflict`."""


class UndoCanvas(Model):
    """Which canvas to restore."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    if_revision: int | None
    """The revision to undo. If the canvas has another revision: 409 `revision_conflict`."""


class UndoDub(Model):
    """Which dub to restore."""

    __slots__ = ()
    dub_id: str
    """The dub."""
    if_revision: int | None
    """The revision to undo. If the dub has another one: 409 `revision_conflict`."""


class UndoSettings(Model):
    """Which change of the settings to undo."""

    __slots__ = ()
    if_revision: int | None
    """The revision to undo. If the settings have another one: 409 `revision_conflict`."""


class UndoSkill(Model):
    """Which skill to restore."""

    __slots__ = ()
    name: str
    """Its name."""
    if_revision: int | None
    """The revision to undo. If the skill has another one: 409 `revision_conflict`."""


class UndoTemplate(Model):
    """Which template to restore."""

    __slots__ = ()
    name: str
    """Its name."""
    if_revision: int | None
    """The revision to undo. If the template has another one: 409 `revision_conflict`."""


class UndoTimeline(Model):
    """Which timeline to restore."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    if_revision: int | None
    """The revision to undo. If the timeline has another one: 409 `revision_conflict`."""


class UnpaidProcessorTime(Model):
    """Processor time of failed, stopped and unusually long work. It is forgotten steadily, one day's share per day."""

    __slots__ = ()
    seconds: int
    """The seconds that count against the account now."""
    seconds_a_day: int
    """The seconds that an account may use in a day (`MWS_UNPAID_PROCESSOR_SECONDS`)."""
    wait_seconds: int
    """The seconds for which new jobs and uploads are refused, and waiting work is put off; 0 when they are not."""


class UpdateBrandKit(Model):
    """What to change in the brand kit. Absent fields keep their values; a list replaces the whole list."""

    __slots__ = ()
    if_revision: int | None
    """The revision that the change is for, 0 before the first one. If the kit has another: 409 `revision_conflict`."""
    colors: list[BrandColor] | None
    """Its colours, at most 50; the first one represents the brand."""
    fonts: list[BrandFont] | None
    """Its fonts, at most 50."""
    logos: list[LogoToSet] | None
    """Its logos, at most 50."""
    voice: str | None
    """The brand's tone of voice, at most 2,000 characters; null removes it."""
    caption_style: CaptionStyle | None
    """The style of its captions; null removes it."""


class UpdateCalendarEntry(Model):
    """What to change in an entry. Absent fields keep their values."""

    __slots__ = ()
    entry_id: str
    """The entry."""
    title: str | None
    """Its title, 1 to 200 characters."""
    starts_at: str | None
    """When it starts."""
    ends_at: str | None
    """When it ends; null makes the end open."""
    refs: list[str] | None
    """All the items that it is about from now on, each by its ref, its id, or the id of the job that made it."""
    channel: str | None
    """Where it will be published; null removes it."""
    note: str | None
    """A note; null removes it."""
    status: CalendarStatus | None
    """Its progress."""


class UpdateComment(Model):
    """What to change in a comment. Absent fields keep their values."""

    __slots__ = ()
    comment_id: str
    """The comment."""
    text: str | None
    """Its new text; only its author may change it."""
    resolved: bool | None
    """Whether it is resolved."""


class UpdateItem(Model):
    """What to change in an item. Absent fields keep their values."""

    __slots__ = ()
    name: str | None
    """Its new name, for people."""
    ref: str | None
    """Its new ref, unique in the workspace. Its id and old media links continue to work."""
    tags: list[str] | None
    """All of its tags from now on: at most 20, each of 1 to 64 characters. Tags that differ only in case are the same."""


class UpdateItemArguments(Model):
    """Which item to change, and how."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    name: str | None
    """Its new name, for people."""
    new_ref: str | None
    """Its new ref, unique in the workspace. Its id goes on naming it."""
    tags: list[str] | None
    """All of its tags from now on: at most 20, each of 1 to 64 characters. Tags that differ only in case are the same."""


class UpdateSettings(Model):
    """What to change in the settings. Absent fields stay; null, or an empty list, restores the service's default."""

    __slots__ = ()
    if_revision: int | None
    """The revision that the change is for, 0 before the first one. If the settings have another: 409 `revision_conflict`."""
    name: str | None
    """The workspace's name on the pages of public links, 1 to 200 characters."""
    default_language: str | None
    """The language of the workspace's media, as a BCP 47 tag such as `en` or `pt-BR`: what `generate_audio` speaks when the
    call names no language, voice or model, and the language of a public link's captions when the transcript names
    none."""
    reads_on_import: list[ReadKind] | None
    """The reads that an upload or an import starts when it names none."""
    min_silence_ms: int | None
    """`min_silence_ms` of `remove_silence`, 100 to 60000."""
    padding_ms: int | None
    """`padding_ms` of `remove_silence`, 0 to 5000."""
    duck_db: float | None
    """`duck_db` of `duck_music`, 0 to 60."""
    caption_style: CaptionStyle | None
    """The style of captions of timelines that have no `style` or `position` of their own; fields that it leaves out are the
    brand kit's."""


class Upload(Model):
    """An upload that was started."""

    __slots__ = ()
    id: str
    """Its id."""
    status: UploadState
    """Whether the service waits for your bytes or fetches them."""
    item_id: str
    """The item that it becomes; in `processing` until it is ready or failed."""
    upload: Presigned | None
    """How to send the bytes; absent when a worker fetches them."""


class UploadDetail(Model):
    """An upload or an import."""

    __slots__ = ()
    id: str
    """Its id."""
    status: UploadProgress
    """Its status."""
    item_id: str
    """The item that it becomes."""
    filename: str
    """Its name."""
    content_type: str | None
    """The announced media type; null for an import."""
    bytes: int | None
    """The announced number of bytes; null for an import."""
    received_bytes: int | None
    """The number of bytes that have arrived; null before any have."""
    expires_at: str
    """When it is dropped, unless it is completed before."""
    error: UploadFault | None
    """Why it failed; null unless it did."""
    created_at: str
    """When it was started."""
    finished_at: str | None
    """When it ended; null before."""


class UploadFault(Model):
    """Why an upload failed."""

    __slots__ = ()
    code: str
    """A code, the same as `error.code` of its item."""
    message: str
    """What went wrong, as a sentence to act on."""


class UploadPart(Model):
    """A part of a file."""

    __slots__ = ()
    number: int
    """Its number, from 1."""
    start: int
    """Its offset in the file, in bytes."""
    bytes: int
    """Its length in bytes."""
    url: str
    """The URL to put it to, with the `headers` of the upload."""

UploadProgress = Literal['awaiting_upload', 'processing', 'done', 'failed', 'expired']
"""The status of an upload."""

UploadState = Literal['awaiting_upload', 'fetching']
"""What an upload waits for."""


class UpscaleMedia(Model):
    """A picture or a film to enlarge."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    factor: int
    """The factor for width and height: 2 or 4."""
    model: str | None
    """The model, by its id; when not given `lanczos`, which is built in, costs no credits and invents nothing."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` returns what the call would cost, and starts nothing."""

WaitFor = Literal['any', 'all']
"""The end of a long poll."""


class Webhook(Model):
    """A webhook endpoint."""

    __slots__ = ()
    id: str
    """Its id."""
    url: str
    """The URL that events are sent to."""
    description: str | None
    """Your description of it, or null."""
    event_types: list[str]
    """The event types that are sent."""
    kinds: list[str] | None
    """The kinds of jobs whose events are sent; null means all."""
    enabled: bool
    """Whether events are sent."""
    disabled_reason: Reason | None
    """Why it is disabled; null when it is enabled."""
    disabled_at: str | None
    """When it was disabled; null when it is enabled."""
    consecutive_failures: int
    """Attempts that failed since the last success. Check the receiver at ten; at twenty the endpoint is disabled."""
    last_success_at: str | None
    """When an attempt last succeeded, accurate to ten seconds; null when none did."""
    created_at: str
    """When it was registered."""
    updated_at: str
    """When it was last changed."""
    ping: Ping | None
    """The ping that `test: true` sent; absent otherwise."""

Why = Literal['event', 'resend', 'test']
"""Why a delivery is sent."""

WordSource = Literal['said', 'shown']
"""Whether words are spoken or written."""


class Workspace(Model):
    """A workspace that the caller can reach."""

    __slots__ = ()
    id: str
    """Its id, for `x-workspace-id`."""
    name: str
    """Its name."""
    role: str
    """The caller's role: `owner`, `editor` or `viewer`."""
    is_default: bool
    """Whether it is the default workspace of your own account; at most one is. A call without `x-workspace-id` acts there,
    if you and the connection can reach it."""
    created_at: str
    """When it was created."""


class WorkspaceMember(Model):
    """A member of a workspace."""

    __slots__ = ()
    user_id: str
    """The user."""
    user_name: str
    """The user's name."""
    role: RoleWord
    """Their role in the workspace."""
    created_at: str
    """When they became a member."""


class WorkspaceName(Model):
    """The name of a workspace."""

    __slots__ = ()
    name: str
    """Its name, 1 to 200 characters on one line."""


class WorkspaceSettings(Model):
    """The settings in effect: a value that nobody has set is the service's default."""

    __slots__ = ()
    name: str | None
    """The workspace's name on the pages of public links; null: the pages show none."""
    default_language: str | None
    """The language of the workspace's media, as a BCP 47 tag; null when it is not set."""
    reads_on_import: list[ReadKind]
    """The reads that an upload or an import starts when it names none."""
    min_silence_ms: int
    """`min_silence_ms` of `remove_silence`."""
    padding_ms: int
    """`padding_ms` of `remove_silence`."""
    duck_db: float
    """`duck_db` of `duck_music`."""
    caption_style: CaptionStyle | None
    """The style of captions that have none of their own; null when it is not set."""
    revision: int
    """Their revision: 0 when never changed, then one higher with every change."""
    updated_at: str | None
    """When they were last changed; null when they never were."""

ErrorCode = Literal['invalid_request', 'invalid_json', 'invalid_cursor', 'code_malformed', 'unauthenticated', 'credential_revoked', 'token_expired', 'insufficient_minutes', 'insufficient_credits', 'workspace_forbidden', 'role_forbidden', 'account_suspended', 'user_disabled', 'session_not_allowed', 'key_wrong_workspace', 'link_invalid', 'link_expired', 'not_the_author', 'origin_forbidden', 'route_not_found', 'tool_not_found', 'item_not_found', 'job_not_found', 'comment_not_found', 'public_link_not_found', 'board_not_found', 'post_not_found', 'calendar_entry_not_found', 'calendar_feed_not_found', 'skill_not_found', 'template_not_found', 'timeline_not_found', 'canvas_not_found', 'dub_not_found', 'project_not_found', 'key_not_found', 'webhook_not_found', 'delivery_not_found', 'bulk_operation_not_found', 'webhook_secret_not_found', 'upload_not_found', 'event_not_found', 'account_not_found', 'user_not_found', 'workspace_not_found', 'member_not_found', 'read_not_found', 'method_not_allowed', 'idempotency_in_progress', 'item_not_ready', 'item_leased', 'ref_taken', 'revision_conflict', 'name_taken', 'last_owner', 'nothing_to_undo', 'upload_incomplete', 'upload_offset_mismatch', 'key_limit_reached', 'endpoint_limit_reached', 'endpoint_disabled', 'quota_reached', 'rotation_in_progress', 'illegal_transition', 'subject_taken', 'code_not_redeemable', 'cursor_gone', 'tus_version_unsupported', 'precondition_failed', 'request_too_large', 'file_too_large', 'unsupported_media_type', 'idempotency_key_reused', 'range_not_satisfiable', 'url_not_https', 'url_not_public', 'webhook_url_not_allowed', 'url_not_allowed', 'pull_failed', 'read_not_applicable', 'engine_not_configured', 'checksum_mismatch', 'chunk_mismatch', 'rate_limited', 'internal', 'unavailable', 'database_unavailable', 'shutting_down']
"""Why a request is refused."""


class ToolError(Model):
    """What a tool answers with any status but 200 (contract §7)."""

    __slots__ = ()
    ok: Literal[False]
    error: dict[str, Any]


class RouteError(Model):
    """What a route answers with any status but 2xx (contract §7)."""

    __slots__ = ()
    error: dict[str, Any]


class CloudMeta(Model):
    """`meta` of a tool that may start cloud processing (contract §4.2)."""

    __slots__ = ()
    request_id: str
    """The id of the request, as in `X-Request-Id`."""
    cost: Cost
    """The AI credits that the call cost."""
    cloud_processing: CloudProcessing


class ProjectEvent(Model):
    """The body of a project's webhook: its full state, and the status it came to (contract §6.2)."""

    __slots__ = ()
    id: str
    """Its id."""
    status: ProjectState
    """Its status."""
    revision: int
    """The number of its statuses so far, counting the one it was created with. It orders webhooks."""
    mode: str
    """Who works on it: `autonomous` or `manual`."""
    output_type: str
    """The kind of result: `assembled`, `timeline` or `clips`."""
    brief: str
    """The task, in words."""
    agent_message: str | None
    """The agent's last message; null when there is none."""
    assembled_url: str | None
    """The URL of the result, or null."""
    assembled_url_expires_at: str | None
    """When that URL expires, or null."""
    project_url: str
    """The URL of this project, to read with a credential: `GET /projects/{id}`. It has no web page."""
    webhook_url: str | None
    """The URL that its changes of status are sent to; null when none is set, or whoever set it has no access any more."""
    planner: str | None
    """The planner that works on it: `keywords`, which is built in, or the id of a model; null when somebody outside works on
    it."""
    budget: ProjectBudget | None
    """What the agent may use; null when no budget was given."""
    spent: ProjectSpent
    """What it has used as of the latest change of status, or as of now where the agent works on it no more: charged, or held
    for work that goes on."""
    left: BudgetLeft
    """What is left of the budget."""
    timeline_id: str | None
    """The timeline that the agent made, for the timelines' tools; null when there is none, or when it is deleted."""
    output_item_id: str | None
    """The item that the agent made; null when there is none, or when it is deleted."""
    assets: list[ProjectAsset]
    """The media that was made for it."""
    timeline: ProjectTimeline | None
    """How the assets are put together, or null."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    event: ReportedStatus


AnyEvent = Union[JobEvent, PingEvent]
"""An event of either kind."""


Resent = Union[Delivery, ResentSince]
"""The result of a resend."""


shapes(
    (AccountDetail, {'account': OperatorAccount, 'balances': BalancesAnswer, 'unpaid_processor': UnpaidProcessorTime}),
    (AddComment, {'region': CommentRegion}),
    (Attempt, {'times': AttemptTimes}),
    (BalancesAnswer, {'credits': CreditsAnswer, 'rates': ReadRates}),
    (BeatsAnswer, {'beats': StoredReadBeatsData}),
    (BeatsData, {'tempo_curve': TempoPoint}),
    (Board, {'columns': BoardColumn}),
    (BoardAnswer, {'board': Board}),
    (BoardColumn, {'cards': BoardCard}),
    (BoardPage, {'boards': ListedBoard}),
    (BrandKit, {'colors': BrandColor, 'fonts': BrandFont, 'logos': BrandLogo, 'caption_style': CaptionStyle}),
    (BrandKitAnswer, {'brand_kit': BrandKit}),
    (BulkOperationAnswer, {'skipped_for': SkippedFor}),
    (CalendarEntry, {'items': CalendarItem}),
    (CalendarEntryAnswer, {'entry': CalendarEntry}),
    (CalendarFeedList, {'feeds': CalendarFeed}),
    (CalendarPage, {'entries': CalendarEntry}),
    (CancelJobsAnswer, {'jobs': CancelledJob}),
    (Canvas, {'layers': CanvasLayer}),
    (CanvasAnswer, {'canvas': Canvas}),
    (CanvasLayer, {'shadow': LayerShadow}),
    (CanvasOp, {'shadow': LayerShadow}),
    (CanvasPage, {'canvases': ListedCanvas}),
    (CaptionText, {'cues': CueText, 'style': TextLook}),
    (ChangeProjectStatus, {'assets': ProjectAsset, 'timeline': ProjectTimeline}),
    (Comment, {'region': CommentRegion, 'author': CommentAuthor}),
    (CommentAnswer, {'comment': Comment}),
    (CommentPage, {'comments': Comment}),
    (CreateCanvas, {'layers': NewLayer}),
    (CreatePortalSession, {'theme': PortalTheme}),
    (CreateProject, {'budget': ProjectBudget}),
    (CreateTimeline, {'ops': TimelineOp}),
    (CreatedCalendarFeed, {'feed': CalendarFeed}),
    (CreatedPublicLink, {'link': PublicLink}),
    (Delivery, {'attempts': Attempt}),
    (DeliveryDetail, {'attempts': SentAttempt}),
    (DubAnswer, {'dub': DubDocument}),
    (DubDocument, {'segments': DubSegment}),
    (DubPage, {'dubs': ListedDub}),
    (DuckAnswer, {'envelope': GainAt}),
    (EditBoard, {'ops': BoardOp}),
    (EditCanvas, {'ops': CanvasOp}),
    (EditDub, {'ops': DubOp}),
    (EditTimeline, {'ops': TimelineOp}),
    (FailedReads, {'accounts': FailedReadsOfAccount}),
    (FootageMatch, {'moment': MomentSpan}),
    (FootageMatches, {'matches': FootageMatch}),
    (GivenCredits, {'balances': BalancesAnswer}),
    (GivenMinutes, {'balances': BalancesAnswer}),
    (HealthFinding, {'numbers': HealthNumber, 'also': HealthTrouble}),
    (HealthLoad, {'tasks': HealthTask, 'workers': HealthWorker, 'schedulers': HealthScheduler}),
    (HealthReport, {'axes': HealthFinding, 'load': HealthLoad, 'invariants': HealthInvariant}),
    (ImportedTimeline, {'timeline': Timeline}),
    (ItemAnswer, {'item': LibraryItem}),
    (ItemPage, {'items': LibraryItem}),
    (JobAnswer, {'waits': JobWait, 'error': JobErrorAnswer}),
    (JobEvent, {'data': JobEventData}),
    (JobEventData, {'job': JobAnswer}),
    (JobsAnswer, {'jobs': JobAnswer}),
    (LibraryItem, {'error': LibraryItemError, 'streams': LibraryItemStream, 'reads_on_ready': ReadsOnReady, 'made_by': LibraryItemMadeBy}),
    (ListAccountChange, {'data': AccountChange}),
    (ListAuditEntry, {'data': AuditEntry}),
    (ListBulkOperationAnswer, {'data': BulkOperationAnswer}),
    (ListDelivery, {'data': Delivery}),
    (ListJobEvent, {'data': JobEvent}),
    (ListKey, {'data': Key}),
    (ListLibraryItem, {'data': LibraryItem}),
    (ListListedProject, {'data': ListedProject}),
    (ListListedWebhook, {'data': ListedWebhook}),
    (ListOperatorAccount, {'data': OperatorAccount}),
    (ListOperatorJob, {'data': OperatorJob}),
    (ListOperatorKey, {'data': OperatorKey}),
    (ListOperatorMember, {'data': OperatorMember}),
    (ListOperatorUser, {'data': OperatorUser}),
    (ListOperatorWorkspace, {'data': OperatorWorkspace}),
    (ListProjectDelivery, {'data': ProjectDelivery}),
    (ListProjectStep, {'data': ProjectStep}),
    (ListWebhook, {'data': Webhook}),
    (ListWorkspace, {'data': Workspace}),
    (ListWorkspaceMember, {'data': WorkspaceMember}),
    (MakeDub, {'script': ScriptSegment, 'voices': SpeakerVoice}),
    (Meta, {'cost': Cost, 'cloud_processing': CloudProcessing}),
    (ModelList, {'data': Model}),
    (ModelPage, {'models': Model}),
    (NewLayer, {'shadow': LayerShadow}),
    (OpenedAccount, {'account': OperatorAccount}),
    (OperatorDeliveryErrors, {'data': OperatorDeliveryError}),
    (OperatorErrorList, {'data': OperatorError, 'deliveries': OperatorDeliveryErrors}),
    (OperatorJob, {'job': JobAnswer}),
    (OperatorReadList, {'data': OperatorRead}),
    (OperatorWebhook, {'ping': Ping}),
    (OverviewAnswer, {'newest_items': LibraryItem, 'troubled_endpoints': TroubledEndpoint}),
    (PingEvent, {'data': PingEventData}),
    (Post, {'media': PostMedia}),
    (PostAnswer, {'post': Post}),
    (PostPage, {'posts': Post}),
    (PreparedMedia, {'items': PreparedRef, 'estimate': Estimate}),
    (PreparedRead, {'reason': ReadReason}),
    (PreparedRef, {'reads': PreparedRead}),
    (Presigned, {'parts': UploadPart}),
    (Project, {'budget': ProjectBudget, 'spent': ProjectSpent, 'left': BudgetLeft, 'assets': ProjectAsset, 'timeline': ProjectTimeline}),
    (ProjectMessage, {'budget': ProjectBudget}),
    (ProjectTimeline, {'scenes': ProjectScene, 'audio': ProjectAudio}),
    (PublicLinkAnswer, {'link': PublicLink}),
    (PublicLinkPage, {'links': PublicLink}),
    (PulledPosts, {'posts': Post}),
    (ReadsOnReady, {'answers': PreparedRead}),
    (ResentAll, {'endpoints': ResentTo}),
    (RetentionAnswer, {'kept': KeptRows, 'tables': OperatorTable}),
    (SentAttempt, {'times': AttemptTimes}),
    (SettingsAnswer, {'settings': WorkspaceSettings}),
    (SilenceAnswer, {'keep': KeptSpan}),
    (SkillAnswer, {'skill': Skill}),
    (SkillPage, {'skills': ListedSkill}),
    (SpeakersAnswer, {'speakers': StoredReadSpeakersData, 'speech': StoredReadSpeechData}),
    (SpeakersData, {'segments': SpeakerTurn}),
    (SpeechData, {'segments': SpeechSegment}),
    (StatementAnswer, {'minutes': MinuteSums, 'bought_minutes': MinuteSums, 'credits': CreditSums, 'data': StatementEntry}),
    (StoredReadBeatsData, {'engine': ReadEngine, 'data': BeatsData}),
    (StoredReadSpeakersData, {'engine': ReadEngine, 'data': SpeakersData}),
    (StoredReadSpeechData, {'engine': ReadEngine, 'data': SpeechData}),
    (StoredReadTranscriptData, {'engine': ReadEngine, 'data': TranscriptData}),
    (SuspendedAccount, {'account': OperatorAccount}),
    (TemplateAnswer, {'template': Template}),
    (TemplatePage, {'templates': ListedTemplate}),
    (Timeline, {'scenes': TimelineScene, 'audio': TimelineAudio, 'overlays': TimelineOverlay, 'captions': CaptionText}),
    (TimelineAnswer, {'timeline': Timeline}),
    (TimelineAudio, {'voiceover': TimelineTrack, 'music': TimelineTrack, 'tracks': TimelineTrack}),
    (TimelineOp, {'transition': SceneTransition, 'style': TextLook, 'captions': CaptionText}),
    (TimelineOverlay, {'style': TextLook}),
    (TimelinePage, {'timelines': ListedTimeline}),
    (TimelineScene, {'transition': SceneTransition}),
    (ToolAnswerBalancesAnswer, {'data': BalancesAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerBeatsAnswer, {'data': BeatsAnswer, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerBoardAnswer, {'data': BoardAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerBoardPage, {'data': BoardPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerBrandKitAnswer, {'data': BrandKitAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCalendarEntryAnswer, {'data': CalendarEntryAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCalendarFeedList, {'data': CalendarFeedList, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCalendarPage, {'data': CalendarPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCancelJobsAnswer, {'data': CancelJobsAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCanvasAnswer, {'data': CanvasAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCanvasPage, {'data': CanvasPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCommentAnswer, {'data': CommentAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCommentPage, {'data': CommentPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCostEstimate, {'data': CostEstimate, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCreatedCalendarFeed, {'data': CreatedCalendarFeed, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerCreatedPublicLink, {'data': CreatedPublicLink, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedBoard, {'data': DeletedBoard, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedCalendarEntry, {'data': DeletedCalendarEntry, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedCanvas, {'data': DeletedCanvas, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedComment, {'data': DeletedComment, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedDub, {'data': DeletedDub, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedItem, {'data': DeletedItem, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedPost, {'data': DeletedPost, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedSkill, {'data': DeletedSkill, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedTemplate, {'data': DeletedTemplate, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDeletedTimeline, {'data': DeletedTimeline, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDubAnswer, {'data': DubAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDubPage, {'data': DubPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerDubStanding, {'data': DubStanding, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerDuckAnswer, {'data': DuckAnswer, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerExportedTimeline, {'data': ExportedTimeline, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerFootageMatches, {'data': FootageMatches, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerGenerationAnswer, {'data': GenerationAnswer, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerImportedTimeline, {'data': ImportedTimeline, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerItemAnswer, {'data': ItemAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerItemPage, {'data': ItemPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerJobsAnswer, {'data': JobsAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerModelPage, {'data': ModelPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerOverviewAnswer, {'data': OverviewAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerPostAnswer, {'data': PostAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerPostPage, {'data': PostPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerPreparedMedia, {'data': PreparedMedia, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerPublicLinkAnswer, {'data': PublicLinkAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerPublicLinkPage, {'data': PublicLinkPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerPulledPosts, {'data': PulledPosts, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerRenderedCanvas, {'data': RenderedCanvas, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerRenderedTimeline, {'data': RenderedTimeline, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerRevokedCalendarFeed, {'data': RevokedCalendarFeed, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerSessionCodeAnswer, {'data': SessionCodeAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerSettingsAnswer, {'data': SettingsAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerSilenceAnswer, {'data': SilenceAnswer, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerSkillAnswer, {'data': SkillAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerSkillPage, {'data': SkillPage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerSpeakersAnswer, {'data': SpeakersAnswer, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerTemplateAnswer, {'data': TemplateAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerTemplatePage, {'data': TemplatePage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerTimelineAnswer, {'data': TimelineAnswer, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerTimelinePage, {'data': TimelinePage, 'meta': Meta, 'media': MediaLink}),
    (ToolAnswerTranscriptAnswer, {'data': TranscriptAnswer, 'meta': CloudMeta, 'media': MediaLink}),
    (ToolAnswerFields, {'meta': Meta, 'media': MediaLink}),
    (ToolList, {'data': Tool}),
    (TranscriptAnswer, {'transcript': StoredReadTranscriptData}),
    (TranscriptData, {'segments': TranscriptSegment, 'words': TranscriptWord}),
    (UpdateBrandKit, {'colors': BrandColor, 'fonts': BrandFont, 'logos': LogoToSet, 'caption_style': CaptionStyle}),
    (UpdateSettings, {'caption_style': CaptionStyle}),
    (Upload, {'upload': Presigned}),
    (UploadDetail, {'error': UploadFault}),
    (Webhook, {'ping': Ping}),
    (WorkspaceSettings, {'caption_style': CaptionStyle}),
    (CloudMeta, {'cost': Cost, 'cloud_processing': CloudProcessing}),
    (ProjectEvent, {'budget': ProjectBudget, 'spent': ProjectSpent, 'left': BudgetLeft, 'assets': ProjectAsset, 'timeline': ProjectTimeline}),
)
