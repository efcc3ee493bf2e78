"""The objects of the interface. Made by sdk/generate from openapi.json: change those."""

from __future__ import annotations

from typing import Any, Literal, Union

from ._model import Model, shapes



class AccountChange(Model):
    """A change to a key, the signing secret or an endpoint."""

    __slots__ = ()
    id: str
    """Its id."""
    at: str
    """When."""
    actor: str
    """Who: the id of an API key or of a user, or `operator`."""
    credential: str
    """How they came in: `api_key`, `session`, `oauth`, `portal` or `operator`."""
    address: str | None
    """The address that the request came from; null where it is not known, and for an operator's."""
    action: str
    """What was done, such as `key.create`, `webhook_secret.rotate` or `webhook.disable`."""
    target: str
    """The id of what it was done to; of the signing secret, the account's."""
    details: Any
    """What there is to say of it, or null. Never a secret; of an endpoint's URL the host alone."""
    request_id: str
    """The request's `X-Request-Id`."""


class AccountDetail(Model):
    """An account and what it has."""

    __slots__ = ()
    account: OperatorAccount
    """The account."""
    balances: BalancesAnswer
    """What it has left, as its own `GET /balances` shows it."""
    unpaid_processor: UnpaidProcessorTime
    """What its media and jobs have computed that nobody paid for."""


class AddCalendarEntry(Model):
    """What to plan."""

    __slots__ = ()
    title: str
    """What is planned, 1 to 200 characters."""
    starts_at: str
    """From when."""
    ends_at: str | None
    """Until when: after `starts_at`, by 366 days at most. Open when not given."""
    refs: list[str] | None
    """What names the items that it is about, at most 20."""
    channel: str | None
    """Where it is to be seen, at most 100 characters."""
    note: str | None
    """What is to be known beside, at most 5,000 characters."""
    status: CalendarStatus | None
    """How far it is; `planned` when not given."""


class AddComment(Model):
    """What to say."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, the id of the job that made the item, or a timeline's id."""
    text: str
    """The words, 1 to 5,000 characters of plain text."""
    at: float | None
    """The second of the item or the timeline that it is about; without it, the whole of it."""
    until: float | None
    """The second that it is about until, after `at`."""
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
    """What they are called."""
    oauth_subject: str | None
    """The `sub` of the access tokens that stand for them."""
    oauth_issuer: str | None
    """The issuer of those tokens. Without it: `MWS_OAUTH_ISSUER`."""


class Attempt(Model):
    """One attempt."""

    __slots__ = ()
    attempt: int
    """Its number, as in `Service-Attempt`."""
    at: str
    """When it began."""
    duration_ms: int
    """How long it took."""
    response_status: int | None
    """The receiver's status, or null when none came."""
    error: str | None
    """What was wrong, or null: `interrupted`, `timeout`, `dns_failed`, `connect_failed`, `connection_lost`,
    `invalid_response`, `tls_failed`, `url_not_public`, `redirect_refused`, `http_status`, `secret_unavailable`,
    `endpoint_disabled`."""
    response_excerpt: str | None
    """The start of the receiver's answer, at most 1 KiB, or null."""

AudioSlot = Literal['voiceover', 'music']
"""A track that has a place of its own."""


class AuditEntry(Model):
    """A change that an operator made."""

    __slots__ = ()
    id: str
    """Its id."""
    at: str
    """When."""
    operator: str
    """The name that goes with the operator's token."""
    address: str | None
    """The address that the request came from, or null."""
    action: str
    """What was done, such as `account.create` or `read.pause`."""
    target: str
    """What it was done to: an id, or a read's name."""
    before: Any
    """What was changed, as it was; null where nothing was."""
    after: Any
    """And as it is; null where nothing is."""
    request_id: str
    """The request's `X-Request-Id`."""
    number: int | None
    """Its place in the log's chain, from 1; null for a row from before there was one."""
    hash: str | None
    """SHA-256 over the row and the hash of the one before it, in hex; null where `number` is."""

AuthorKind = Literal['user', 'key', 'guest']
"""What somebody is who comments."""


class BalancesAnswer(Model):
    """What the account has. All amounts of cloud processing are minutes with at most two decimals."""

    __slots__ = ()
    month: str
    """The month, such as `2026-11`."""
    resets_at: str
    """When the next month's minutes come."""
    allowance_minutes: float
    """Granted for the month."""
    used_minutes: float
    """Charged in the month."""
    held_minutes: float
    """Held by running work until it settles, last month's too."""
    left_minutes: float
    """The month's minutes left after what is held."""
    bought_minutes: float
    """Purchased minutes that nothing holds; they never lapse and are spent after the month's."""
    credits: CreditsAnswer
    """AI credits, which never lapse."""
    rates: ReadRates
    """Minutes charged for a minute of media, by read and for a render."""


class BeatsAnswer(Model):
    """An item's beats, or the job that finds them."""

    __slots__ = ()
    ref: str
    """As it was asked for."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether the read is there."""
    job_id: str | None
    """The job that computes it; when queued. Follow it with `get_jobs`, then call again."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    beats: StoredReadBeatsData | None
    """The read; when ready."""


class BeatsData(Model):
    """Where the beats are."""

    __slots__ = ()
    tempo: float | None
    """Beats a minute, of the longest stretch with a beat; null when there is none."""
    tempo_candidates: list[float]
    """That tempo, then others that a listener may count."""
    beat_times: list[float]
    """Every beat."""
    downbeat_times: list[float]
    """The beats that begin a bar."""
    tempo_curve: list[TempoPoint]
    """How the tempo goes."""


class Board(Model):
    """A board."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """What it is called."""
    revision: int
    """How many times it was written."""
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
    """Its id, one in its board."""
    item_id: str | None
    """The item that it is about."""
    ref: str | None
    """What clients call that item; null when it is deleted."""
    item_deleted: bool
    """Whether the item that it is about is deleted."""
    text: str | None
    """What it says."""
    note: str | None
    """What is to be known beside."""
    assignee: str | None
    """Who it is for."""
    due: str | None
    """The day it is due."""


class BoardColumn(Model):
    """A column."""

    __slots__ = ()
    id: str
    """Its id, one in its board."""
    name: str
    """What it is called."""
    cards: list[BoardCard]
    """Its cards, from top to bottom."""


class BoardOp(Model):
    """One change of a board. A field that the operation does not take is refused."""

    __slots__ = ()
    op: BoardOpKind
    """What is done."""
    column_id: str | None
    """The column. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent."""
    card_id: str | None
    """The card. Of a new one: as `column_id`."""
    name: str | None
    """A column's name, 1 to 200 characters."""
    position: int | None
    """The place from 0, counted without that which moves; the end when absent."""
    ref: str | None
    """What names the item that a card is about; an empty text is none."""
    text: str | None
    """What a card says, at most 5,000 characters."""
    note: str | None
    """What is to be known beside, at most 5,000 characters."""
    assignee: str | None
    """Who a card is for, at most 200 characters."""
    due: str | None
    """The day a card is due, as `2026-12-01`; an empty text is none."""

BoardOpKind = Literal['add_column', 'update_column', 'remove_column', 'add_card', 'move_card', 'update_card', 'remove_card']
"""What an operation does."""


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
    """A colour by its name."""

    __slots__ = ()
    name: str
    """What it is called, 1 to 100 characters; another in each colour, whatever their case."""
    hex: str
    """What it is, as `#1a2b3c`."""


class BrandFont(Model):
    """A font by its name."""

    __slots__ = ()
    name: str
    """What it is called, 1 to 100 characters; another in each font."""
    family: str
    """One of `families`."""


class BrandKit(Model):
    """The brand kit."""

    __slots__ = ()
    colors: list[BrandColor]
    """Its colours; the first stands for the brand."""
    fonts: list[BrandFont]
    """Its fonts."""
    logos: list[BrandLogo]
    """Its logos."""
    voice: str | None
    """How the brand speaks."""
    caption_style: CaptionStyle | None
    """How its captions look."""
    revision: int
    """How many times it was written; 0: never."""
    updated_at: str | None
    """When it was last changed; null: never."""


class BrandKitAnswer(Model):
    """The brand kit."""

    __slots__ = ()
    brand_kit: BrandKit
    """The brand kit."""
    families: list[str]
    """The families that a font may be of."""


class BrandLogo(Model):
    """A logo by its name."""

    __slots__ = ()
    name: str
    """What it is called."""
    item_id: str
    """The image."""
    ref: str | None
    """What clients call that item; null when it is deleted."""
    item_deleted: bool
    """Whether the image is deleted."""


class BudgetLeft(Model):
    """What is left of a budget; null where it has no bound."""

    __slots__ = ()
    minutes: float | None
    """Cloud minutes."""
    credits: float | None
    """AI credits."""
    steps: int
    """Calls of tools."""


class CalendarEntry(Model):
    """An entry of the calendar."""

    __slots__ = ()
    id: str
    """Its id."""
    title: str
    """What is planned."""
    starts_at: str
    """From when."""
    ends_at: str | None
    """Until when; null: open."""
    items: list[CalendarItem]
    """The items that it is about."""
    channel: str | None
    """Where it is to be seen."""
    note: str | None
    """What is to be known beside."""
    status: CalendarStatus
    """How far it is."""
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
    """What clients call it; null when it is deleted."""
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
"""How far what is planned is."""


class CancelJobsAnswer(Model):
    """What became of each."""

    __slots__ = ()
    jobs: list[CancelledJob]
    """In the order of `job_ids`."""
    missing: list[str]
    """Ids asked for that name no job of this workspace."""


class CancelJobsRequest(Model):
    """Which jobs to stop."""

    __slots__ = ()
    job_ids: list[str]
    """1 to 200 jobs."""

CancelOutcome = Literal['cancelled', 'cancelling', 'already_finished']
"""What became of a job that was to be stopped."""


class CancelledJob(Model):
    """What became of a job that was to be stopped."""

    __slots__ = ()
    id: str
    """The job."""
    status: JobStatusWord
    """Where it stands now."""
    outcome: CancelOutcome
    """What became of it."""


class Canvas(Model):
    """A canvas."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """What it is called."""
    revision: int
    """How many times it was written."""
    width: int
    """Pixels across."""
    height: int
    """Pixels down."""
    background: str | None
    """The colour behind everything; null where it is transparent."""
    layers: list[CanvasLayer]
    """What is on it, the lowest first."""
    placeholders: list[str]
    """The placeholders of its texts."""
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
    """A layer. What its type does not have is absent."""

    __slots__ = ()
    id: str
    """Its id, one in its canvas."""
    type: LayerType
    """What it shows."""
    x: float
    """Its left side."""
    y: float
    """Its upper side."""
    width: float | None
    """Its width; the canvas's when absent."""
    height: float | None
    """Its height; the canvas's when absent."""
    rotation: float
    """How far it is turned about its middle, in degrees."""
    opacity: float
    """How much it hides of what is under it, 0 to 1."""
    radius: float | None
    """How round its corners are."""
    shadow: LayerShadow | None
    """The shadow that it throws."""
    ref: str | None
    """What clients call the item of an image; absent when it is deleted."""
    item_id: str | None
    """The item of an image."""
    item_deleted: bool | None
    """Whether that item is deleted."""
    media_url: str | None
    """A link to its media; of `get_canvas` alone."""
    at: float | None
    """The second of a film whose frame is shown."""
    fit: LayerFit | None
    """How an image or a logo gets into its place."""
    logo: str | None
    """The name of a logo of the brand kit."""
    color: str | None
    """The colour of a text, a rectangle or an ellipse."""
    colors: list[str] | None
    """The colours of a gradient."""
    shape: GradientWay | None
    """How a gradient goes."""
    angle: float | None
    """Where it goes, in degrees."""
    text: str | None
    """What a text says."""
    family: str | None
    """The family of its letters."""
    size: float | None
    """Their height."""
    weight: int | None
    """How bold they are."""
    align: LineAlign | None
    """Where lines begin; where the text's script does when absent."""
    max_width: float | None
    """How wide a line may be before it is broken."""
    line_height: float | None
    """From one line to the next, in heights of letters."""


class CanvasOp(Model):
    """One change of a canvas. A field that the operation does not take is refused."""

    __slots__ = ()
    op: CanvasOpKind
    """What is done."""
    type: LayerType | None
    """What a new layer shows."""
    background: str | None
    """The colour behind everything; `transparent` for none."""
    layer_id: str | None
    """The layer. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent."""
    position: int | None
    """The place from 0, the lowest, counted without that which moves; over all the others when absent."""
    x: float | None
    """Its left side, in pixels of the canvas."""
    y: float | None
    """Its upper side."""
    width: float | None
    """Its width, the canvas's when absent. A text has `max_width`."""
    height: float | None
    """Its height, the canvas's when absent."""
    rotation: float | None
    """How far it is turned about its middle, -360 to 360 degrees, as a clock's hand."""
    opacity: float | None
    """How much it hides of what is under it, 0 to 1."""
    radius: float | None
    """How round the corners of an image, a logo, a rectangle or a gradient are, in pixels."""
    shadow: LayerShadow | None
    """The shadow that it throws."""
    ref: str | None
    """What names the item of an image: an image or a film."""
    at: float | None
    """The second of a film whose frame is shown."""
    fit: LayerFit | None
    """How an image or a logo gets into its place; `contain` when absent."""
    logo: str | None
    """The name of a logo of the brand kit."""
    color: str | None
    """The colour of a text, a rectangle or an ellipse: `#1a2b3c`, `#1a2b3c80`, or the name of one of the brand kit; black
    when absent."""
    colors: list[str] | None
    """The colours of a gradient, 2 to 8 at equal distances."""
    shape: GradientWay | None
    """How a gradient goes; `linear` when absent."""
    angle: float | None
    """Where a linear one goes, in degrees: 0 to the right, 90 down."""
    text: str | None
    """What a text says, 1 to 2,000 characters. `{name}` is a placeholder; `{{` and `}}` are brackets."""
    family: str | None
    """The family of its letters, one that `get_brand_kit` lists or the name of a font of the brand kit; `DejaVu Sans` when
    absent."""
    size: float | None
    """Their height, 1 to 2000 pixels; 48 when absent."""
    weight: int | None
    """How bold they are, 100 to 900; 400, which is regular, when absent. 700 is bold."""
    align: LineAlign | None
    """Where lines begin; where the text's script does when absent."""
    max_width: float | None
    """How wide a line may be before it is broken; 0 breaks none, as when absent."""
    line_height: float | None
    """From one line to the next, 0.5 to 4 heights of letters; 1.2 when absent."""

CanvasOpKind = Literal['add_layer', 'update_layer', 'move_layer', 'remove_layer', 'set_canvas']
"""What an operation does."""


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
"""Where captions come from."""

CaptionPosition = Literal['top', 'middle', 'bottom']
"""Where captions stand."""


class CaptionStyle(Model):
    """How captions look. What is absent is left to what draws them."""

    __slots__ = ()
    family: str | None
    """One of the `families` that `get_brand_kit` lists."""
    size: float | None
    """The letters' height, as a part of the picture's: 0.01 to 0.25."""
    color: str | None
    """The letters' colour, as `#ffffff`."""
    background: str | None
    """What is behind the letters, as `#000000`."""
    position: CaptionPosition | None
    """Where in the picture they stand."""


class CaptionText(Model):
    """What is said, to be read."""

    __slots__ = ()
    source: CaptionOrigin
    """Where they come from."""
    cues: list[CueText] | None
    """They, with source `cues`: at most 2,000, in order, without overlaps."""
    burn: bool | None
    """Whether a render has them in its picture."""
    style: TextLook | None
    """What they look like there. What is absent is as `caption_style` of the settings has it, or else of the brand kit."""
    position: CaptionPosition | None
    """Where in the picture they stand; likewise, or else at the bottom."""
    language: str | None
    """Their language."""

CarryFormat = Literal['otio', 'edl', 'srt', 'vtt']
"""What a timeline is carried to other programs as, and back."""


class ChangeAccount(Model):
    """What to change of an account."""

    __slots__ = ()
    name: str
    """Another name."""


class ChangeProjectSettings(Model):
    """A project's settings."""

    __slots__ = ()
    webhook_url: str | None
    """Where its changes of status are to be told from now on; null tells nobody. Required."""


class ChangeProjectStatus(Model):
    """What the agent that works on a project says of it. What is left out stays."""

    __slots__ = ()
    status: ReportedStatus
    """The new status."""
    agent_message: str | None
    """A word to those who wait; null takes it away."""
    assets: list[ProjectAsset] | None
    """All assets from now on."""
    timeline: ProjectTimeline | None
    """The timeline from now on; null takes it away."""
    assembled_url: str | None
    """Where the result is, an http or https URL; null takes it away."""
    assembled_url_expires_at: str | None
    """Until when it is there; null takes it away."""


class ChangeRead(Model):
    """What to change of a read."""

    __slots__ = ()
    paused: bool
    """`true`: no job of it is begun, and calls are answered `held` with `reads_paused`. `false`: all goes on."""


class ChangeUser(Model):
    """What to change of a user; what is left out stays."""

    __slots__ = ()
    name: str | None
    """Another name."""
    oauth_subject: str | None
    """The `sub` of the access tokens that stand for them from now on; null: no token does."""
    oauth_issuer: str | None
    """The issuer of those tokens. Without it: `MWS_OAUTH_ISSUER`."""
    disabled: bool | None
    """`true` refuses them everywhere from now on, ends their sessions and revokes the keys that they made; `false` lets them
    in again, without those."""


class ChangeWebhook(Model):
    """What to change of an endpoint; what is left out stays."""

    __slots__ = ()
    url: str | None
    """A new URL. Attempts that are still to come use it too."""
    description: str | None
    """New words; null takes them away."""
    event_types: list[Subscribed] | None
    """What to tell it of."""
    kinds: list[JobKindWord] | None
    """Of which kinds of jobs to tell it; null is all."""
    enabled: bool | None
    """Whether events are sent. Enabling a disabled endpoint clears its count of failures."""
    test: bool | None
    """`true` sends one ping now, also to a disabled endpoint."""


class ChangeWorkspace(Model):
    """What to change of a workspace; what is left out stays."""

    __slots__ = ()
    name: str | None
    """Another name."""
    is_default: bool | None
    """`true` makes it its account's default, in the place of the one before. It can't be unmade: name another."""


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
    """What the numbers are of, in words."""


class Comment(Model):
    """A comment on an item or a timeline."""

    __slots__ = ()
    id: str
    """Its id."""
    item_id: str | None
    """The item; null of a comment on a timeline."""
    timeline_id: str | None
    """The timeline; null of a comment on an item."""
    reply_to: str | None
    """The comment that began the thread; null of one that did."""
    text: str
    """The words: plain text, never HTML."""
    at: float | None
    """The second of it that the comment is about; null of the whole."""
    until: float | None
    """The second that it is about until."""
    region: CommentRegion | None
    """The part of the picture that it is about."""
    author: CommentAuthor
    """Who wrote it."""
    resolved_at: str | None
    """When somebody said that it is done with; null while nobody has."""
    created_at: str
    """When it was written."""
    updated_at: str
    """When its words last changed, or whether it is resolved."""


class CommentAnswer(Model):
    """A comment."""

    __slots__ = ()
    comment: Comment
    """The comment."""


class CommentAuthor(Model):
    """Who wrote a comment."""

    __slots__ = ()
    type: AuthorKind
    """What they are."""
    id: str | None
    """The user, the key, or the public link that a guest came by."""
    name: str | None
    """What they are called, or null."""


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
    """A rectangle of the picture, in parts of its width and height from its upper left corner."""

    __slots__ = ()
    x: float
    """Its left side, 0 to 1."""
    y: float
    """Its upper side, 0 to 1."""
    width: float
    """Its width; with `x` at most 1."""
    height: float
    """Its height; with `y` at most 1."""


class ConsoleLink(Model):
    """A link to the console."""

    __slots__ = ()
    path: str
    """The path of the link: put it behind the address that you reach the service by. It can be used once."""
    url: str
    """The same behind the service's public URL."""
    expires_at: str
    """When it ends."""


class Cost(Model):
    """Cost object (contract §2). All amounts are AI credits with at most two decimals."""

    __slots__ = ()
    credits: float
    """The estimate for this call; 0 where it costs none."""
    held_credits: float | None
    """Held by running work until it settles; there of a call that may cost credits."""
    left_credits: float | None
    """What the account has left after `held_credits`; there of a call that may cost credits."""


class CostEstimate(Model):
    """What a call would cost."""

    __slots__ = ()
    tool: str
    """The tool."""
    minutes: float
    """Minutes that it would hold."""
    credits: float
    """AI credits that it would hold."""
    answer: dict[str, Any]
    """What the call would be answered in a dry run; empty where it costs nothing."""


class CreateBoard(Model):
    """A board to create."""

    __slots__ = ()
    name: str
    """What it is called, 1 to 200 characters."""


class CreateCanvas(Model):
    """A canvas to create."""

    __slots__ = ()
    name: str | None
    """What it is called, 1 to 200 characters; `Canvas` when not given."""
    width: int
    """Pixels across, 1 to 8192."""
    height: int
    """Pixels down, 1 to 8192."""
    background: str | None
    """The colour behind everything, as of a layer; `transparent` when not given."""
    layers: list[NewLayer] | None
    """Its layers, the lowest first, at most 200."""


class CreateKey(Model):
    """A key to create."""

    __slots__ = ()
    name: str | None
    """What you call it."""
    workspace_id: str | None
    """The workspace it will work in, one that your account owns. Without it: the account's default workspace."""


class CreatePortalSession(Model):
    """A link to be made."""

    __slots__ = ()
    pages: list[PortalPage] | None
    """The pages there are. Without it: all."""
    return_url: str | None
    """Where the pages lead back to, also when the session has ended: an http or https URL."""
    theme: PortalTheme | None
    """How they look."""


class CreateProject(Model):
    """A project to create."""

    __slots__ = ()
    brief: str
    """What is asked for."""
    mode: ProjectMode | None
    """Who works on it; `autonomous` when not given."""
    output_type: ProjectOutputType | None
    """What is to come out; `assembled` when not given."""
    webhook_url: str | None
    """Where its changes of status are to be told: HTTPS, and publicly reachable."""
    budget: ProjectBudget | None
    """What the agent may take: over it the project is `idle`, and `agent_message` asks."""


class CreatePublicLink(Model):
    """What link to make."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    expires_in: int | None
    """Seconds that the link works, 60 to 7,776,000 (90 days); 30 days when not given."""
    rights: list[LinkRight] | None
    """What its visitors may do beside seeing the item; nothing when not given."""
    passphrase: str | None
    """What its visitors have to give first, 4 to 200 characters. Kept as a hash: it is shown nowhere."""


class CreateSecret(Model):
    """Whether to make a new secret."""

    __slots__ = ()
    rotate: bool | None
    """`true` issues a new secret while the old one keeps verifying for 24 hours."""


class CreateTimeline(Model):
    """A timeline to create."""

    __slots__ = ()
    name: str
    """What it is called, 1 to 200 characters."""
    ops: list[TimelineOp] | None
    """What is done to it at once, as in `edit_timeline`; it is 1920 × 1080 at 25 frames a second without."""


class CreateUpload(Model):
    """A file to send, or a URL to fetch one from."""

    __slots__ = ()
    filename: str | None
    """The file's name. Required with `bytes`; with `url`, what to call the item."""
    content_type: str | None
    """The file's media type, such as `video/mp4`. Required with `bytes`."""
    bytes: int | None
    """How many bytes will be sent."""
    sha256: str | None
    """SHA-256 of those bytes in hexadecimal; when given, `complete` refuses others."""
    url: str | None
    """Where to fetch the file instead: HTTPS and publicly reachable, as each of up to five redirects has to be."""
    ref: str | None
    """What clients will call the item, unique in the workspace; its id when not given."""
    reads: list[ReadKind] | None
    """Reads to start once the item is ready, as `prepare_media` would then; `reads_on_ready` of the item says what became of
    each. Those of the workspace's settings when not given."""


class CreateWebhook(Model):
    """An endpoint to register."""

    __slots__ = ()
    url: str
    """Where events are sent: HTTPS, and publicly reachable."""
    description: str | None
    """What you call it."""
    event_types: list[Subscribed] | None
    """What to tell it of. Without it: all three."""
    kinds: list[JobKindWord] | None
    """Of which kinds of jobs to tell it. Without it: all, those that will be added too."""


class CreatedCalendarFeed(Model):
    """A calendar feed that was just made."""

    __slots__ = ()
    feed: CalendarFeed
    """The feed."""
    url: str
    """Where it is. Shown here and never again: whoever has it reads the calendar."""


class CreatedKey(Model):
    """A key that was just created."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str | None
    """What you call it, or null."""
    prefix: str
    """Its first characters, to know it again by."""
    workspace_id: str
    """The workspace it works in."""
    created_at: str
    """When it was created."""
    last_used_at: str | None
    """Null: it was not used yet."""
    created_by: str | None
    """The id of the user or the key that made it."""
    key: str
    """The key: `es_live_` and 32 hex characters. Shown here and never again."""


class CreatedPublicLink(Model):
    """A link that was just made."""

    __slots__ = ()
    link: PublicLink
    """The link."""
    url: str
    """Where its page is. Shown here and never again: whoever has it sees the item."""


class CreditsAnswer(Model):
    """What an account has of AI credits, with at most two decimals."""

    __slots__ = ()
    left: float
    """What new work may hold."""
    held: float
    """Held by running work until it settles."""
    used: float
    """Charged since the account was opened."""


class CueText(Model):
    """A caption."""

    __slots__ = ()
    start: float
    """When it appears."""
    end: float
    """When it goes."""
    text: str
    """What it says, 1 to 500 characters."""


class CutOut(Model):
    """A picture or a film, without its background."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    color: str | None
    """The colour of the background, such as `#00ff00`, which is what it is when not given. Not with `model`."""
    similarity: int | None
    """How far from that colour is background still, 1 to 100 in hundredths; 30 when not given. Not with `model`."""
    model: str | None
    """The model, by its id; `chroma-key` when not given, which is built in, costs no credits and goes by the colour."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` answers what the call would cost, and starts nothing."""


class DeleteCalendarEntry(Model):
    """Which entry."""

    __slots__ = ()
    entry_id: str
    """The entry."""


class Deleted(Model):
    """What a route that removes something answers."""

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
    """What it was called."""
    deleted: Literal[True]
    """Always true."""


class DeletedTemplate(Model):
    """The template that was deleted."""

    __slots__ = ()
    name: str
    """What it was called."""
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
    """One event to one endpoint, with every attempt (contract §2, "delivery")."""

    __slots__ = ()
    delivery_id: str
    """Its id."""
    endpoint_id: str
    """Where it goes."""
    event_id: str
    """The event's id, as in `Service-Delivery`."""
    event_type: Kind
    """The event's type, as in `Service-Event`."""
    job_id: str | None
    """The job, or null for a ping."""
    workspace_id: str | None
    """The job's workspace, or null for a ping."""
    status: Status
    """Where it stands."""
    trigger: Why
    """Why it is sent."""
    resend_of: str | None
    """The delivery that it repeats, or null."""
    attempt_count: int
    """Attempts made, the one under way among them."""
    next_attempt_at: str | None
    """When the next attempt is due, or null."""
    response_status: int | None
    """The status that the receiver last answered, or null."""
    error: str | None
    """What was wrong with the last attempt, or null."""
    created_at: str
    """When it began."""
    finished_at: str | None
    """When it ended, or null."""
    attempts: list[Attempt]
    """Every attempt, in order. One that a crash interrupted bears the number of the one that took its place."""


class DeliveryDetail(Model):
    """One event to one endpoint, with what was sent of it."""

    __slots__ = ()
    delivery_id: str
    """Its id."""
    endpoint_id: str
    """Where it goes."""
    event_id: str
    """The event's id, as in `Service-Delivery`."""
    event_type: Kind
    """The event's type, as in `Service-Event`."""
    job_id: str | None
    """The job, or null for a ping."""
    workspace_id: str | None
    """The job's workspace, or null for a ping."""
    status: Status
    """Where it stands."""
    trigger: Why
    """Why it is sent."""
    resend_of: str | None
    """The delivery that it repeats, or null."""
    attempt_count: int
    """Attempts made, the one under way among them."""
    next_attempt_at: str | None
    """When the next attempt is due, or null."""
    response_status: int | None
    """The status that the receiver last answered, or null."""
    error: str | None
    """What was wrong with the last attempt, or null."""
    created_at: str
    """When it began."""
    finished_at: str | None
    """When it ended, or null."""
    attempts: list[SentAttempt]
    """Every attempt, in order, with what was sent."""
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
    """What it is called."""
    revision: int
    """How many times it was written."""
    output_revision: int | None
    """The revision that was last spoken; null where none was."""
    stale: bool
    """Whether it was changed since: `render_dub` speaks what was."""
    ref: str | None
    """What clients call the item that is dubbed; null when it is deleted."""
    item_id: str
    """The item that is dubbed."""
    source_language: str | None
    """The language that is spoken in it; null where a script was given without it."""
    target_language: str
    """The language that it is dubbed into."""
    keep_background: bool
    """Whether the item's own sound is heard under the voices."""
    output_item_id: str | None
    """The item that was last made of it."""
    voice_item_id: str | None
    """The voices of that alone."""
    timeline_id: str | None
    """Its timeline."""
    segments: list[DubSegment]
    """What is said, in the order of its beginnings."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class DubOp(Model):
    """One change of a dub. A field that the operation does not take is refused."""

    __slots__ = ()
    op: DubOpKind
    """What is done."""
    segment_id: str | None
    """The segment. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent."""
    start: float | None
    """The second at which it begins."""
    end: float | None
    """The second at which it ends."""
    translation: str | None
    """What is spoken, at most 1,000 characters; nothing of an empty one."""
    voice: str | None
    """The voice, as its engine names it."""
    speaker: str | None
    """Who speaks."""
    keep: bool | None
    """Whether the item's own sound is heard."""

DubOpKind = Literal['add_segment', 'update_segment', 'remove_segment', 'set_voice', 'set_background']
"""What an operation does."""


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
    """What somebody says."""

    __slots__ = ()
    id: str
    """Its id, one in its dub."""
    start: float
    """When it begins."""
    end: float
    """When it ends."""
    speaker: str
    """Who speaks."""
    source: str | None
    """What is said in the item; null where it is not known."""
    translation: str
    """What is spoken instead."""
    voice: str
    """By which voice."""
    overflow: float | None
    """Seconds that it goes on after its end, although it is spoken as fast as it may be; 0 where it fits, null where it was
    not spoken as it is now."""


class DubStanding(Model):
    """Where a dub stands."""

    __slots__ = ()
    ref: str | None
    """As it was asked for, where a read of it is missing."""
    item_id: str
    """The item that is dubbed."""
    status: NeedStatus
    """`ready`, `queued`, or `startable` of a dry run."""
    job_id: str | None
    """The job that dubs, or that computes a read which is missing; when queued. Follow it with `get_jobs`: of a read, call
    again then."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    dub_id: str | None
    """The dub; once it is there."""
    timeline_id: str | None
    """Its timeline; when ready."""
    output_item_id: str | None
    """The dubbed item; when ready."""
    segments: int | None
    """How many segments are spoken; where it is known."""
    quality: str | None
    """`draft`: what a machine of rules translates and speaks."""


class DuckAnswer(Model):
    """How far to turn music down, or the job that finds out; with `render`, where the new item stands."""

    __slots__ = ()
    ref: str
    """The voice as it was asked for."""
    item_id: str
    """The voice's item."""
    music_item_id: str | None
    """The music's item; once it is known where somebody speaks."""
    status: NeedStatus
    """Whether all that was asked for is there."""
    job_id: str | None
    """The job to follow with `get_jobs`; when queued. Without `envelope` it is the one that reads where somebody speaks:
    call again when it has ended. With `envelope` it is the render."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    envelope: list[GainAt] | None
    """The gain of the music at growing times, from 0 to the voice's end, at most 4000 points; once it is known where
    somebody speaks."""
    output_item_id: str | None
    """The rendered item; when asked for and ready."""
    timeline_id: str | None
    """The timeline that was made; when asked for."""


class DuckMusic(Model):
    """A voice, the music under it, and how far to turn that down."""

    __slots__ = ()
    voice_ref: str
    """The item in which somebody speaks: its ref, its id, or the id of the job that made it."""
    music_ref: str
    """The item whose sound is the music, by any of the same."""
    duck_db: float | None
    """Decibels that the music goes down under speech, 0 to 60; what the settings say when not given, or 12."""
    attack_ms: int | None
    """Milliseconds that it takes to go down, 10 to 10000; 200 when not given."""
    release_ms: int | None
    """Milliseconds that it takes to come back, 10 to 10000; 500 when not given."""
    render: bool | None
    """Whether to mix both into a new item; false when not given."""
    timeline: bool | None
    """Whether to make a timeline of it, which can be edited, exported and rendered; false when not given. Not with `render`."""
    dry_run: bool | None
    """`true` answers what the call would start and hold, and starts nothing: the read, or once that is stored the render."""


class EditBoard(Model):
    """What to change of a board."""

    __slots__ = ()
    board_id: str
    """The board."""
    if_revision: int | None
    """The revision that the change is for; another one stands: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[BoardOp] | None
    """What to do, 1 to 500 operations; may be left out with `name`."""


class EditCanvas(Model):
    """What to change of a canvas."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    if_revision: int | None
    """The revision that the change is for; another one stands: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[CanvasOp] | None
    """What to do, 1 to 500 operations; may be left out with `name`."""


class EditDub(Model):
    """What to change of a dub."""

    __slots__ = ()
    dub_id: str
    """The dub."""
    if_revision: int | None
    """The revision that the change is for; another one stands: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[DubOp] | None
    """What is done, one after the other, all or none; 1 to 500."""


class EditTimeline(Model):
    """What to change of a timeline."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    if_revision: int | None
    """The revision that the change is for; another one stands: 409 `revision_conflict`."""
    name: str | None
    """Its new name, 1 to 200 characters."""
    ops: list[TimelineOp] | None
    """What to do, 1 to 500 operations; may be left out with `name`."""


class ErasedAnswer(Model):
    """What was erased now. What was erased before is not counted again."""

    __slots__ = ()
    erased: bool
    """Always true."""
    workspaces: int
    """Workspaces."""
    items: int
    """Items. Their bytes follow, once no job reads them."""
    projects: int
    """Projects."""


class Estimate(Model):
    """What a call started, and what is left (contract §4.2.7)."""

    __slots__ = ()
    minutes: float
    """Cloud minutes held for the jobs that this call started; with `dry_run`, for those that it would start."""
    left_minutes: float
    """The month's minutes left after all that is held."""
    bought_minutes: float
    """Purchased minutes left."""
    resets_at: str
    """When the next month's minutes come."""


class EstimateCost(Model):
    """A call whose cost is asked for."""

    __slots__ = ()
    tool: str
    """The tool."""
    arguments: dict[str, Any]
    """What it would be called with."""


class ExportTimeline(Model):
    """What to export."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    format: CarryFormat
    """As what."""


class ExportedTimeline(Model):
    """A timeline for another editor."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    revision: int
    """The revision of it that was exported."""
    format: CarryFormat
    """As what."""
    content: str
    """The document."""
    warnings: list[str]
    """What is not in it, in whole sentences."""


class FootageMatch(Model):
    """Something said or shown in an item."""

    __slots__ = ()
    ref: str
    """What clients call the item."""
    item_id: str
    """The item."""
    start: float
    """Where the first of the words begins, in seconds."""
    end: float
    """Where the last one ends."""
    score: float
    """How well it fits, 0 to 1."""
    text: str
    """The words, with some of those around them."""
    source: WordSource
    """How they are there."""
    moment: MomentSpan | None
    """The moment that it begins in; absent for sound, and where no search index is stored."""
    thumbnail_url: str | None
    """A still of that moment, a JPEG: this link needs no credential and is good for at least an hour. Absent where there is
    none."""


class FootageMatches(Model):
    """What was found, and what was not searched."""

    __slots__ = ()
    matches: list[FootageMatch]
    """The best first; empty when nothing is said or shown that is like the query."""
    unindexed_refs: list[str]
    """Videos whose written words could not be searched, and whose matches have no moment and no still, because no search
    index is stored; newest first and at most 50: of `refs`, or else of the workspace's newest 2,000 items. Read
    `search_index` on them with `prepare_media`. What no search index would help, such as sound alone, is not named."""
    untranscribed_refs: list[str]
    """Items with sound whose spoken words could not be searched, because no transcript is stored; newest first, of the same
    and as many. Read `transcript` on them."""


class FootageSearch(Model):
    """What to look for, and where."""

    __slots__ = ()
    query: str
    """What is said or shown, 1 to 500 characters. All words have to be there; `"…"` keeps words together, `or` takes either
    of two, `-` leaves a word out."""
    refs: list[str] | None
    """Search these items alone, at most 20, each by its ref, its id, or the id of the job that made it."""
    limit: int | None
    """Matches to answer, 1 to 50; 10 when not given."""


class GainAt(Model):
    """The gain at one moment."""

    __slots__ = ()
    t: float
    """Seconds from the voice's start."""
    gain_db: float
    """Decibels: 0 leaves the music as it is."""


class GenerateAudio(Model):
    """Spoken text, or sound from words: exactly one of `text` and `prompt`."""

    __slots__ = ()
    text: str | None
    """What is to be spoken."""
    prompt: str | None
    """What is to be heard, such as music, in words."""
    voice: str | None
    """Whose voice speaks, as the model names it."""
    language: str | None
    """The language of the text, such as `en` or `es`. When not given: `default_language` of the settings where `voice` and
    `model` are not given either, else English."""
    model: str | None
    """The model, by its id. When not given: for a text an engine that is built in and costs no credits (`flite` for English,
    else `espeak-ng`), for a prompt the first that makes sound. `list_models` lists them."""
    seconds: int | None
    """Seconds of sound from a prompt; 5 when not given."""
    seed: int | None
    """What tells one sound from another of the same words: the same call makes the same item once."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` answers what the call would cost, and starts nothing."""


class GenerateImage(Model):
    """A picture from words."""

    __slots__ = ()
    prompt: str
    """What is to be seen."""
    model: str | None
    """The model, by its id; the first that makes pictures when not given. `list_models` lists them."""
    width: int | None
    """Pixels across, 64 to 8192; with `height`."""
    height: int | None
    """Pixels down, 64 to 8192; with `width`."""
    seed: int | None
    """What tells one picture from another of the same words: the same call makes the same item once."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` answers what the call would cost, and starts nothing."""


class GenerateVideo(Model):
    """A film from words."""

    __slots__ = ()
    prompt: str
    """What is to be seen."""
    ref: str | None
    """A picture that it begins with: an item's ref, its id, or the id of the job that made it."""
    model: str | None
    """The model, by its id; the first that makes films when not given. `list_models` lists them."""
    seconds: int | None
    """Seconds that it lasts; 5 when not given."""
    width: int | None
    """Pixels across, 64 to 8192; with `height`."""
    height: int | None
    """Pixels down, 64 to 8192; with `width`."""
    seed: int | None
    """What tells one film from another of the same words: the same call makes the same item once."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` answers what the call would cost, and starts nothing."""


class GenerationAnswer(Model):
    """Where a generation stands."""

    __slots__ = ()
    status: NeedStatus
    """`ready` when its item is there, `queued` while a job makes it, `startable` in a dry run."""
    job_id: str | None
    """The job that makes it: follow it with `get_jobs`."""
    estimated_minutes: float | None
    """Minutes that are held for it."""
    estimated_credits: float | None
    """AI credits that are held for it."""
    output_item_id: str | None
    """The item that it is."""
    model: str
    """What makes it: a model's id, or the name of an engine that is built in."""
    synthetic: bool
    """Whether a machine speaks or draws it."""
    quality: str | None
    """`draft` of what a simple engine makes."""


class GetItem(Model):
    """Which item, and whether to wait for it."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    wait_seconds: int | None
    """Wait up to 30 seconds until the item is no longer in `processing`."""


class GetJobsRequest(Model):
    """Which jobs: by id, or by filters."""

    __slots__ = ()
    job_ids: list[str] | None
    """1 to 200 jobs; without filters."""
    status: list[JobStatusWord] | None
    """Only jobs in these statuses."""
    kind: list[JobKindWord] | None
    """Only jobs of these kinds."""
    ref: str | None
    """Only jobs of this item: its ref, its id, or the id of the job that made it."""
    created_after: str | None
    """Only jobs created after this."""
    cursor: str | None
    """`next_cursor` of the page before."""
    limit: int | None
    """1 to 100 jobs a page, 20 when not given; with filters."""
    wait_seconds: int | None
    """With `job_ids`: wait up to 30 seconds for what `wait_for` says. What had ended before the call is not waited for, so
    that the same call again never answers at once while jobs are live, and always does when none is."""
    wait_for: WaitFor | None
    """`any`: until one of the jobs that were live when the call began has ended; `all`: until all of them have. `any` when
    not given."""


class GiveCredits(Model):
    """Credits to give, or to take back."""

    __slots__ = ()
    kind: GivingCredits
    """How."""
    credits: float
    """How many, with at most two decimals."""
    note: str | None
    """Why, for the journal."""
    reference: str | None
    """Your own name for this change, such as an invoice's number: needed for a purchase. The same one counts once an
    account, so that a request can be sent again; an account's minutes and credits share these names."""


class GiveMinutes(Model):
    """Minutes to give."""

    __slots__ = ()
    kind: Giving
    """How."""
    minutes: float
    """How many, with at most two decimals."""
    note: str | None
    """Why, for the journal."""
    reference: str | None
    """Your own name for this grant or purchase, such as an invoice's number: needed for a purchase. The same one counts once
    an account, so that a request can be sent again."""


class GivenCredits(Model):
    """What giving came to."""

    __slots__ = ()
    applied: bool
    """False where the reference had counted before: nothing was changed again."""
    changed_credits: float
    """By how much the credits changed, below zero where some were taken back; where the reference had counted before, by how
    much they changed then."""
    balances: BalancesAnswer
    """What the account has now."""


class GivenMinutes(Model):
    """What giving came to."""

    __slots__ = ()
    applied: bool
    """False where the reference had counted before: nothing was given again."""
    given_minutes: float
    """How many minutes were given; where the reference had counted before, how many it gave then."""
    balances: BalancesAnswer
    """What the account has now."""

Giving = Literal['grant', 'purchase', 'allowance']
"""How minutes are given."""

GivingCredits = Literal['grant', 'purchase', 'withdraw']
"""How an account's credits change."""

GradientWay = Literal['linear', 'radial']
"""How a gradient goes."""

HealthAxis = Literal['flow', 'execution', 'delivery', 'money', 'liveness']
"""What is looked at."""


class HealthFinding(Model):
    """How one axis stands."""

    __slots__ = ()
    axis: HealthAxis
    """Which."""
    state: HealthState
    """How it stands."""
    sentence: str
    """In a sentence."""
    numbers: list[HealthNumber]
    """At most three."""
    next: str | None
    """The command that helps next, or null where nothing is to be done."""


class HealthNumber(Model):
    """A number that a finding goes by."""

    __slots__ = ()
    name: str
    """What is counted or measured."""
    value: float
    """How much, to a tenth. A count of rows ends at 2,000."""
    unit: str
    """In what: `s`, `%`, or empty for a count."""


class HealthReport(Model):
    """How the service stands."""

    __slots__ = ()
    state: HealthState
    """The worst of the axes."""
    sentence: str
    """In a sentence."""
    axes: list[HealthFinding]
    """The five: flow, execution, delivery, money, liveness."""

HealthState = Literal['healthy', 'unknown', 'degraded', 'failing']
"""How something stands."""


class ImportMedia(Model):
    """What to import."""

    __slots__ = ()
    url: str
    """Where to fetch it: HTTPS and publicly reachable, as each of up to five redirects has to be."""
    name: str | None
    """What people will call the item; the last part of the URL when not given."""
    ref: str | None
    """What clients will call it, unique in the workspace; its id when not given."""
    reads: list[ReadKind] | None
    """Reads to start once it is ready, as `prepare_media` would then; `reads_on_ready` of the item says what became of each.
    Those of the workspace's settings when not given."""


class ImportTimeline(Model):
    """What to import."""

    __slots__ = ()
    content: str
    """The document as text, as large as a request may be. Its media are items of the workspace: `mws:itm_…`, or in an EDL
    the names or refs of items."""
    format: CarryFormat | None
    """What it is; `otio` when not given."""
    fps: float | None
    """Frames a second that an EDL counts in: 25 when not given, 29.97 where it drops frames. Of captions, those of the
    timeline."""
    name: str | None
    """What the timeline is called; what the document says when not given."""


class ImportedTimeline(Model):
    """A timeline that was imported."""

    __slots__ = ()
    timeline: Timeline
    """The timeline."""
    warnings: list[str]
    """What of the document is not in it, in whole sentences."""


class ItemAnswer(Model):
    """An item."""

    __slots__ = ()
    item: LibraryItem
    """The item."""


class ItemPage(Model):
    """A page of the library."""

    __slots__ = ()
    items: list[LibraryItem]
    """The items, in the order that was asked for."""
    has_more: bool
    """Whether there are items after these."""
    next_cursor: str | None
    """Pass it as `cursor` for the items after these; null on the last page."""


class JobAnswer(Model):
    """An asynchronous unit of work (contract §2, "Job")."""

    __slots__ = ()
    id: str
    """Its id."""
    workspace_id: str
    """The workspace it acts in."""
    kind: JobKindWord
    """What sort of work it is."""
    read: ReadKind | None
    """The read it computes; null for other work."""
    item_id: str | None
    """The item it works on; null for other work."""
    ref: str | None
    """That item's ref."""
    status: JobStatusWord
    """Where it stands."""
    progress: int
    """0 to 100; never goes down within an attempt."""
    attempt: int
    """Attempts that failed or were lost, and the one that runs."""
    max_attempts: int
    """Attempts before a retryable failure is final."""
    cancel_requested: bool
    """Whether it was asked to stop while running."""
    estimated_minutes: float
    """Minutes held for it."""
    cloud_minutes: float | None
    """Minutes charged; null until it ends, 0 when it failed or was cancelled."""
    estimated_credits: float
    """AI credits held for it."""
    credits: float | None
    """AI credits charged; null until it ends, 0 when it failed or was cancelled."""
    result: Any
    """What it made: `{"stored_reads":[…]}` for a read, `{"item_id":"itm_…"}` for a render."""
    error: JobErrorAnswer | None
    """Why it failed; null unless it did."""
    context: str | None
    """The sentence given with the call that started it."""
    request_id: str | None
    """The id of the request that started it."""
    created_at: str
    """When it was committed."""
    started_at: str | None
    """When a worker first took it."""
    finished_at: str | None
    """When it ended."""


class JobErrorAnswer(Model):
    """Why a job failed."""

    __slots__ = ()
    code: str
    """A job error code, such as `media_unreadable` or `worker_lost`."""
    message: str
    """What went wrong, in words to act on."""
    retryable: bool
    """Whether asking for the same read again may succeed."""


class JobEvent(Model):
    """A job has ended: the body that endpoints are sent (contract §6.1)."""

    __slots__ = ()
    id: str
    """Derived from the job and the type: an event that is sent twice has one id."""
    type: Subscribed
    """What it tells of."""
    created_at: str
    """When the job ended."""
    workspace_id: str
    """The workspace that the job ran in."""
    timeline_id: str | None
    """The timeline, on a language change alone."""
    data: JobEventData
    """What it tells."""


class JobEventData(Model):
    """What a job's event tells."""

    __slots__ = ()
    job: JobAnswer
    """The job, as `get_jobs` shows it."""

JobKindWord = Literal['generation', 'render', 'dub', 'transcription', 'read']
"""What sort of work a job is."""

JobStatusWord = Literal['queued', 'running', 'succeeded', 'failed', 'cancelled']
"""Where a job stands (contract §3.2). The last three are final."""


class JobsAnswer(Model):
    """Jobs found."""

    __slots__ = ()
    jobs: list[JobAnswer]
    """In the order of `job_ids`; by filters newest first."""
    missing: list[str]
    """Ids asked for that name no job of this workspace."""
    has_more: bool
    """Whether there are jobs after these; never of `job_ids`."""
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


class KeptSpan(Model):
    """A part of an item, in seconds from its start."""

    __slots__ = ()
    start: float
    """From then."""
    end: float
    """Until then."""


class Key(Model):
    """A key, without the key itself."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str | None
    """What you call it, or null."""
    prefix: str
    """Its first characters, to know it again by."""
    workspace_id: str
    """The workspace it works in."""
    created_at: str
    """When it was created."""
    last_used_at: str | None
    """When it was last used, to the minute; null when it never was."""
    created_by: str | None
    """The id of the user or the key that made it; null where the operator did."""

Kind = Literal['job.succeeded', 'job.failed', 'job.cancelled', 'ping']
"""What a delivery tells of."""

LayerFit = Literal['contain', 'cover']
"""How an image gets into its place."""


class LayerShadow(Model):
    """A shadow."""

    __slots__ = ()
    color: str | None
    """Its colour; `#00000080` when absent. One that is `transparent` is none."""
    x: float | None
    """How far it falls to the right, -500 to 500 pixels."""
    y: float | None
    """How far it falls down, -500 to 500 pixels."""
    blur: float | None
    """How far its edges go over into nothing, 0 to 500 pixels."""

LayerType = Literal['image', 'logo', 'text', 'rect', 'ellipse', 'gradient']
"""What a layer shows."""


class Lease(Model):
    """A lease on an item."""

    __slots__ = ()
    item_id: str
    """The item."""
    leased_until: str
    """When the lease ends by itself."""


class LibraryItem(Model):
    """A library item (contract §2)."""

    __slots__ = ()
    id: str
    """Its id."""
    ref: str
    """What clients call it: the ref it was given, or else its id."""
    name: str
    """What people call it."""
    type: LibraryItemType | None
    """What it is; null until its bytes were looked at."""
    status: LibraryItemStatus
    """How far it has come."""
    error: LibraryItemError | None
    """Why it failed; null unless it did."""
    duration_seconds: float | None
    """Media time in seconds; null for an image, and until its bytes were looked at."""
    width: int | None
    """Pixels across."""
    height: int | None
    """Pixels down."""
    content_type: str | None
    """Its media type."""
    bytes: int
    """Bytes that it takes of the account's storage; 0 when it failed, or while its size is unknown."""
    sha256: str | None
    """SHA-256 of its bytes in hexadecimal."""
    created_at: str
    """When it was made."""
    leased_until: str | None
    """Until when a computer that reads it itself holds its reads back; null when none does."""
    thumbnail_url: str | None
    """A picture of it, a JPEG: this link needs no credential and is good for at least an hour. Null where there is none."""
    media_url: str | None
    """Its media: this link needs no credential, takes ranges, and is good until `media_url_expires_at`. Null until it is
    ready, and in lists without `include=media`."""
    media_url_expires_at: str | None
    """When that link ends."""
    streams: list[LibraryItemStream] | None
    """The streams of its file; null until its bytes were looked at."""
    reads: dict[str, Any]
    """The reads stored on it, by their names."""
    tags: list[str]
    """What people sort it by."""
    reads_on_ready: ReadsOnReady | None
    """The reads that were asked for with its upload or import; null where none were."""
    made_by: LibraryItemMadeBy | None
    """How it was made here; null of what was uploaded or imported."""


class LibraryItemError(Model):
    """Why an item failed."""

    __slots__ = ()
    code: str
    """Such as `media_unreadable`, `media_too_long`, `url_not_allowed`, `fetch_failed`, `file_too_large`."""
    message: str
    """What went wrong, in words."""

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
    """The engine that is built in, if one made it."""
    model: str | None
    """Or the provider's model."""
    source_item_ids: list[str]
    """The items that it was made from."""
    synthetic: bool
    """Whether a machine spoke or drew it, or something that it was made from."""
    quality: str | None
    """`draft` of what a simple engine made."""

LibraryItemSort = Literal['newest', 'oldest', 'name']
"""What a list of items is sorted by."""

LibraryItemStatus = Literal['processing', 'ready', 'failed']
"""How far an item has come."""


class LibraryItemStream(Model):
    """A stream of an item's file, as its container describes it."""

    __slots__ = ()
    index: int
    """Its number in the container, from 0."""
    type: str
    """`video`, `audio`, `subtitle`, `data`, `attachment`, or `picture` for a cover."""
    codec: str | None
    """Its codec, as ffmpeg calls it."""
    duration_seconds: float | None
    """Seconds that it declares."""
    width: int | None
    """Pixels across, of pictures."""
    height: int | None
    """Pixels down, of pictures."""
    frame_rate: float | None
    """Pictures a second on average, of video."""
    sample_rate: int | None
    """Samples a second, of audio."""
    channels: int | None
    """Channels, of audio."""

LibraryItemType = Literal['video', 'audio', 'image']
"""What an item is."""

LineAlign = Literal['left', 'center', 'right']
"""Where lines begin."""

LinkRight = Literal['view', 'download', 'comment']
"""What a link lets its visitors do beside seeing the item."""


class ListBoards(Model):
    """Which boards."""

    __slots__ = ()
    limit: int | None
    """Boards to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListCalendar(Model):
    """Which entries."""

    __slots__ = ()
    from_: str | None
    """Only those that start or go on at or after."""
    to: str | None
    """Only those that start before."""
    status: CalendarStatus | None
    """Only those that are so far."""
    limit: int | None
    """Entries to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListCanvases(Model):
    """Which canvases."""

    __slots__ = ()
    limit: int | None
    """Canvases to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListComments(Model):
    """Which comments."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, the id of the job that made the item, or a timeline's id."""
    resolved: bool | None
    """Only those that are resolved, or that are not."""
    limit: int | None
    """Comments to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListDubs(Model):
    """Which dubs."""

    __slots__ = ()
    limit: int | None
    """Dubs to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListItems(Model):
    """Which items of the library."""

    __slots__ = ()
    query: str | None
    """Only those whose name, ref or one of whose tags holds this, in any case."""
    type: LibraryItemType | None
    """Only those of this type."""
    status: LibraryItemStatus | None
    """Only those of this status."""
    has_read: ReadKind | None
    """Only those on which this read is stored."""
    missing_read: ReadKind | None
    """Only those that are ready and lack this read, which applies to them."""
    tag: str | None
    """Only those with this tag, in any case."""
    created_after: str | None
    """Only those made at or after."""
    created_before: str | None
    """Only those made before."""
    board_id: str | None
    """Only those that a card of this board is about."""
    sort: LibraryItemSort | None
    """What to sort them by; `newest` when not given."""
    limit: int | None
    """Items to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""
    include: list[LibraryItemInclude] | None
    """What to show of each item that lists leave out: `media` is its `media_url`, and fills `media` of the answer."""


class ListPosts(Model):
    """Which posts."""

    __slots__ = ()
    query: str | None
    """Those that have this in their title, their author, a tag or the first thousand characters of their text, whatever its
    case; at most 200 characters."""
    source: str | None
    """Those that were pulled by this URL."""
    kept: bool | None
    """Only those that are kept, or that are not."""
    limit: int | None
    """Posts to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListPublicLinks(Model):
    """Which links."""

    __slots__ = ()
    ref: str | None
    """Only those to the item with this ref or id."""
    limit: int | None
    """Links to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListSkills(Model):
    """Which skills."""

    __slots__ = ()
    limit: int | None
    """Skills to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListTemplates(Model):
    """Which templates."""

    __slots__ = ()
    limit: int | None
    """Templates to show, 1 to 100; 20 when not given."""
    cursor: str | None
    """The `next_cursor` of the page before."""


class ListTimelines(Model):
    """Which timelines."""

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
    """What it is called."""
    columns: int
    """How many columns it has."""
    cards: int
    """How many cards are in them."""
    revision: int
    """How many times it was written."""
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
    """What it is called."""
    width: int
    """Pixels across."""
    height: int
    """Pixels down."""
    layers: int
    """How many layers it has."""
    revision: int
    """How many times it was written."""
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
    """What it is called."""
    item_id: str
    """The item that is dubbed."""
    target_language: str
    """The language that it is dubbed into."""
    segments: int
    """How many segments it has."""
    revision: int
    """How many times it was written."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ListedProject(Model):
    """A project in short."""

    __slots__ = ()
    id: str
    """Its id."""
    status: ProjectState
    """Where it stands."""
    revision: int
    """How many changes of status there were, the creation being the first."""
    brief: str
    """What was asked for: its first 200 characters."""
    agent_message: str | None
    """What the agent last said, its first 200 characters, or null."""
    assembled_url: str | None
    """Where the result is, or null."""
    assembled_url_expires_at: str | None
    """Until when it is there, or null."""
    project_url: str
    """Where all of it is read, with a credential."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ListedSkill(Model):
    """A skill as lists show it."""

    __slots__ = ()
    name: str
    """What it is called."""
    description: str | None
    """What it is for."""
    bytes: int
    """Bytes of its text."""
    revision: int
    """How many times it was written."""
    updated_at: str
    """When it was last changed."""


class ListedTemplate(Model):
    """A template as lists show it."""

    __slots__ = ()
    name: str
    """What it is called."""
    tool: str
    """The tool that it calls."""
    revision: int
    """How many times it was written."""
    updated_at: str
    """When it was last changed."""


class ListedTimeline(Model):
    """A timeline as lists show it."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """What it is called."""
    duration_seconds: float
    """How long it is."""
    aspect_ratio: str
    """The picture's proportions."""
    scenes: int
    """How many scenes it has."""
    variant_of: str | None
    """The timeline that it is a variant of."""
    revision: int
    """How many times it was written."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class LogoToSet(Model):
    """A logo by its name, as it is set."""

    __slots__ = ()
    name: str
    """What it is called, 1 to 100 characters; another in each logo."""
    ref: str
    """What names the item: an image that is ready."""


class MakeDub(Model):
    """What to dub."""

    __slots__ = ()
    ref: str | None
    """The item: its ref, its id, or the id of the job that made it."""
    timeline_id: str | None
    """A timeline to dub, in the place of `ref`. This deployment dubs items: render the timeline first."""
    target_language: str
    """The language to dub into, such as `es` or `spa`."""
    source_language: str | None
    """The language that is spoken; what the transcript tells when not given."""
    script: list[ScriptSegment] | None
    """What is to be spoken when, at most 2,000 segments that don't overlap. With it nothing is transcribed or translated."""
    voices: list[SpeakerVoice] | None
    """Voices of speakers; each other speaker gets one."""
    keep_background: bool | None
    """Whether the item's own sound is heard under the voices, 15 dB down while they speak; false when not given."""
    dry_run: bool | None
    """`true` answers what the call would hold, and starts nothing."""


class MediaLink(Model):
    """Media to show beside a tool's answer (contract §4.2, `media`)."""

    __slots__ = ()
    type: LibraryItemType
    """What the item is."""
    item_id: str
    """The item."""
    ref: str
    """What clients call it."""
    url: str
    """Where its bytes are, as `media_url` of the item."""
    expires_at: str
    """When that link ends."""
    content_type: str
    """The media type that it is served as."""
    bytes: int
    """How many bytes it has."""


class MemberRole(Model):
    """The role to give."""

    __slots__ = ()
    role: RoleWord
    """What they may do there."""


class Meta(Model):
    """`meta` of a tool's answer (contract §4.2)."""

    __slots__ = ()
    request_id: str
    """The id of the request, as in `X-Request-Id`."""
    cost: Cost
    """The AI credits that the call cost."""
    cloud_processing: CloudProcessing | None
    """The cloud minutes that the call used, holds and leaves; always there of a tool that may start cloud processing."""


class Model(Model):
    """A generation model."""

    __slots__ = ()
    id: str
    """What a generation call names it by."""
    name: str
    """What people call it."""
    kind: str
    """What it makes: `image`, `video`, `audio`, `speech`, `upscale`, `cutout`, `translate` or `chat`."""
    estimated_credits: float
    """Its price in AI credits, of one unit; 0 of what is built in, which is paid for in minutes."""
    per: str
    """What that unit is: `call`, `second`, `megapixel` or `1k_chars`."""
    built_in: bool
    """Whether it is an engine of this deployment, and no provider's."""
    available: bool
    """Whether a worker has lately said that it can use it."""
    quality: str | None
    """`draft` of what a simple engine makes."""
    pairs: list[str] | None
    """Pairs of languages that it translates, as `eng-spa`; of `apertium`, as far as workers have lately said."""


class ModelList(Model):
    """The generation models."""

    __slots__ = ()
    data: list[Model]
    """The engines that are built in, and the models of the configured providers."""
    has_more: bool
    """Always false: they are few, and all here."""
    next_cursor: str | None
    """Always null."""


class ModelPage(Model):
    """The generation models, as a tool answers them."""

    __slots__ = ()
    models: list[Model]
    """The engines that are built in, and the models of the configured providers."""
    has_more: bool
    """Always false: they are few, and all here."""
    next_cursor: str | None
    """Always null."""


class MomentSpan(Model):
    """A moment of a video."""

    __slots__ = ()
    id: str
    """Its id, as the item's `search_index` has it."""
    start: float
    """Where it begins, in seconds."""
    end: float
    """Where it ends."""

NeedStatus = Literal['ready', 'queued', 'startable']
"""Whether a tool's read is there."""


class NewLayer(Model):
    """A layer to begin with. A field that its type does not have is refused."""

    __slots__ = ()
    type: LayerType
    """What it shows."""
    layer_id: str | None
    """The layer. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent."""
    position: int | None
    """The place from 0, the lowest, counted without that which moves; over all the others when absent."""
    x: float | None
    """Its left side, in pixels of the canvas."""
    y: float | None
    """Its upper side."""
    width: float | None
    """Its width, the canvas's when absent. A text has `max_width`."""
    height: float | None
    """Its height, the canvas's when absent."""
    rotation: float | None
    """How far it is turned about its middle, -360 to 360 degrees, as a clock's hand."""
    opacity: float | None
    """How much it hides of what is under it, 0 to 1."""
    radius: float | None
    """How round the corners of an image, a logo, a rectangle or a gradient are, in pixels."""
    shadow: LayerShadow | None
    """The shadow that it throws."""
    ref: str | None
    """What names the item of an image: an image or a film."""
    at: float | None
    """The second of a film whose frame is shown."""
    fit: LayerFit | None
    """How an image or a logo gets into its place; `contain` when absent."""
    logo: str | None
    """The name of a logo of the brand kit."""
    color: str | None
    """The colour of a text, a rectangle or an ellipse: `#1a2b3c`, `#1a2b3c80`, or the name of one of the brand kit; black
    when absent."""
    colors: list[str] | None
    """The colours of a gradient, 2 to 8 at equal distances."""
    shape: GradientWay | None
    """How a gradient goes; `linear` when absent."""
    angle: float | None
    """Where a linear one goes, in degrees: 0 to the right, 90 down."""
    text: str | None
    """What a text says, 1 to 2,000 characters. `{name}` is a placeholder; `{{` and `}}` are brackets."""
    family: str | None
    """The family of its letters, one that `get_brand_kit` lists or the name of a font of the brand kit; `DejaVu Sans` when
    absent."""
    size: float | None
    """Their height, 1 to 2000 pixels; 48 when absent."""
    weight: int | None
    """How bold they are, 100 to 900; 400, which is regular, when absent. 700 is bold."""
    align: LineAlign | None
    """Where lines begin; where the text's script does when absent."""
    max_width: float | None
    """How wide a line may be before it is broken; 0 breaks none, as when absent."""
    line_height: float | None
    """From one line to the next, 0.5 to 4 heights of letters; 1.2 when absent."""


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
    """What it is called."""


class OneTemplate(Model):
    """Which template."""

    __slots__ = ()
    name: str
    """What it is called."""


class OneTimeline(Model):
    """Which timeline."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""


class OpenAccount(Model):
    """An account to open."""

    __slots__ = ()
    name: str
    """What it is called."""
    workspace_name: str | None
    """What its default workspace is called. Without it: as the account."""
    monthly_allowance_minutes: float | None
    """Its own monthly minutes. Without it: the deployment's."""
    create_key: bool | None
    """`true` creates an API key to its workspace too, shown in the answer and never again."""


class OpenWorkspace(Model):
    """A workspace to open."""

    __slots__ = ()
    account_id: str
    """The account that owns it."""
    name: str
    """What it is called."""


class OpenedAccount(Model):
    """An account that was just opened."""

    __slots__ = ()
    account: OperatorAccount
    """The account."""
    workspace_id: str
    """Its default workspace."""
    key: str | None
    """The key, where one was asked for: shown here and never again."""


class OperatorAccount(Model):
    """An account."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """What it is called."""
    monthly_allowance_minutes: float | None
    """Its own monthly minutes; null where the deployment's hold."""
    created_at: str
    """When it was opened."""
    suspended_at: str | None
    """Since when its credentials are refused, or null."""
    suspended_reason: str | None
    """Why, as its callers are told, or null."""
    erased_at: str | None
    """When it was erased, or null: its names and bytes are gone, its ledger stays."""


class OperatorJob(Model):
    """A job, and whose it is."""

    __slots__ = ()
    payer_account_id: str
    """The account that pays for it."""
    owner_account_id: str
    """The account of its workspace, whose webhooks tell of it."""
    job: JobAnswer
    """The job as its account sees it."""


class OperatorKey(Model):
    """A key, without the key itself."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str | None
    """What its owner calls it, or null."""
    prefix: str
    """Its first characters."""
    workspace_id: str
    """The workspace it works in."""
    created_by: str | None
    """The id of the user or the key that made it; null where an operator did."""
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
    """What the user is called."""
    role: RoleWord
    """What they may do there."""
    created_at: str
    """Since when they are a member."""


class OperatorRead(Model):
    """A read, and whether it is computed."""

    __slots__ = ()
    read: ReadKind
    """Which."""
    paused_at: str | None
    """Since when it is paused, or null."""
    engine: str | None
    """What computes it, as a worker last said, or null."""
    engine_version: str | None
    """And in which version, or null."""
    engine_seen_at: str | None
    """When a worker last said so, or null."""
    waiting_jobs: int
    """Jobs of it that wait; 10,001 means more than 10,000."""


class OperatorReadList(Model):
    """The six reads."""

    __slots__ = ()
    data: list[OperatorRead]
    """By their names."""
    has_more: bool
    """Always false: they are few, and all here."""
    next_cursor: str | None
    """Always null."""


class OperatorUser(Model):
    """A user."""

    __slots__ = ()
    id: str
    """Their id."""
    account_id: str
    """The account that pays for what they do."""
    name: str
    """What they are called."""
    oauth_issuer: str | None
    """The issuer whose tokens stand for them, or null."""
    oauth_subject: str | None
    """The `sub` of those tokens, or null."""
    created_at: str
    """When they were added."""
    disabled_at: str | None
    """Since when they are refused everywhere, or null."""


class OperatorWorkspace(Model):
    """A workspace and who owns it."""

    __slots__ = ()
    id: str
    """Its id."""
    account_id: str
    """The account that owns it."""
    name: str
    """What it is called."""
    is_default: bool
    """Whether it is its account's default."""
    created_at: str
    """When it was opened."""

OverlayType = Literal['image', 'text', 'logo']
"""What an overlay is."""


class OverviewAnswer(Model):
    """What there is in the workspace that the call acts in, and what its account has."""

    __slots__ = ()
    items: dict[str, Any]
    """Items by status; of at most the newest 10,000."""
    ready: dict[str, Any]
    """Items that are ready, by type; of the same."""
    newest_items: list[LibraryItem]
    """The newest items."""
    missing_reads: dict[str, Any]
    """How many of the newest 2,000 items are ready and lack each read that applies to them."""
    live_jobs: dict[str, Any]
    """Jobs that have not ended, by kind; of at most 1,000 of each."""
    running_jobs: int
    """How many of those run."""
    projects: dict[str, Any]
    """Projects by status; of at most the newest 10,000."""
    left_minutes: float
    """The account's minutes left, the month's and those bought."""
    held_minutes: float
    """What running work holds of its minutes."""
    left_credits: float
    """The account's AI credits left."""
    troubled_endpoints: list[TroubledEndpoint]
    """The account's webhook endpoints that are disabled, or failed ten times in a row or more."""

PictureFormat = Literal['png', 'jpeg', 'webp', 'svg']
"""What a canvas is rendered as."""


class Ping(Model):
    """A ping under way."""

    __slots__ = ()
    delivery_id: str
    """Its delivery, to be looked up in the endpoint's log."""


class PingEvent(Model):
    """An endpoint is tested: the body that it is sent."""

    __slots__ = ()
    id: str
    """Derived from its delivery."""
    type: PingType
    """Always `ping`."""
    created_at: str
    """When it was asked for."""
    data: PingEventData
    """What it tells."""


class PingEventData(Model):
    """What a ping tells."""

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
    """The link. Send the browser there, or show it in a frame where the deployment lets your origin."""
    expires_at: str
    """When it ends, unless it is followed before."""


class PortalTheme(Model):
    """How the pages look."""

    __slots__ = ()
    name: str | None
    """What the pages bear as their name; the account's word, not this service's."""
    accent: str | None
    """The colour of their head and buttons, `#rrggbb`; what stands on it is black or white, whichever can be read."""
    scheme: PortalScheme | None
    """Light or dark. Without it: as the browser has it."""
    logo: str | None
    """An image for their head: a `data:` URL of a PNG, JPEG or WebP in base64, of up to 32,768 characters: about 24 kB."""


class Post(Model):
    """A post."""

    __slots__ = ()
    id: str
    """Its id."""
    source: str
    """The URL that it was last pulled by."""
    url: str
    """Where it is."""
    author: str | None
    """Who wrote it, as it says."""
    title: str | None
    """What it is called."""
    text: str
    """What it says: plain text, at most 10,000 characters."""
    published_at: str | None
    """When it was published, as it says."""
    media: list[PostMedia]
    """What it shows."""
    sha256: str
    """SHA-256 of what it says: another once it was edited."""
    tags: list[str]
    """What it is sorted by."""
    kept_at: str | None
    """When it was kept; null while nobody has."""
    item_id: str | None
    """The item that its media was imported as."""
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
    """Where it is."""
    content_type: str | None
    """What it is, as the post says; null where it does not."""


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
    """`true` answers what the call would start and hold, and starts nothing."""


class PreparedMedia(Model):
    """What `prepare_media` answers."""

    __slots__ = ()
    items: list[PreparedRef]
    """One for each ref, in the order asked; a ref asked twice is answered once."""
    job_ids: list[str]
    """The jobs to follow with one `get_jobs` call: those started, and those that were under way."""
    estimate: Estimate
    """The cloud minutes started and what is left."""


class PreparedRead(Model):
    """The answer for one read of one item (contract §3)."""

    __slots__ = ()
    read: ReadKind
    """Which read."""
    status: ReadStatus
    """What became of it."""
    job_id: str | None
    """The job that computes it; when queued."""
    estimated_minutes: float | None
    """Minutes held for that job; when queued. What would be held; when startable, or refused with `insufficient_minutes`."""
    already_queued: bool | None
    """Whether that job was under way before this call; when queued."""
    reason: ReadReason | None
    """Why it was not started; when skipped, refused or held."""


class PreparedRef(Model):
    """The answers for one ref."""

    __slots__ = ()
    ref: str
    """As it was asked for."""
    item_id: str | None
    """The item it names; absent when there is none that the caller can reach."""
    reads: list[PreparedRead]
    """One for each read, in the order asked."""


class Presigned(Model):
    """A request that sends the bytes; it needs no credential but its URL."""

    __slots__ = ()
    method: str
    """Always `PUT`."""
    url: str
    """Where to: the service, or the bucket that it keeps media in."""
    url_expires_at: str | None
    """When the bucket takes nothing more by `url` and those of `parts`; null of the service's own, which lasts as long as
    the upload. The same call with the same `Idempotency-Key` is answered with new ones."""
    headers: dict[str, Any]
    """Headers to send with it."""
    parts: list[UploadPart] | None
    """Of a file that is larger than a bucket takes at once: its parts, each to be put to a URL of its own, instead of `url`."""
    resumable_url: str
    """Where the same bytes can be sent by tus 1.0.0, always the service: what was cut off goes on where it was."""
    expires_at: str
    """When the upload is dropped, unless it was completed."""


class Project(Model):
    """A project: what an agent works on."""

    __slots__ = ()
    id: str
    """Its id."""
    status: ProjectState
    """Where it stands."""
    revision: int
    """How many changes of status there were, the creation being the first. It orders what webhooks tell."""
    mode: str
    """How it is worked on: `autonomous` or `manual`."""
    output_type: str
    """What is to come out: `assembled`, `timeline` or `clips`."""
    brief: str
    """What was asked for."""
    agent_message: str | None
    """What the agent last said, or null."""
    assembled_url: str | None
    """Where the result is, or null."""
    assembled_url_expires_at: str | None
    """Until when it is there, or null."""
    project_url: str
    """Where the project is read, with a credential: `GET /projects/{id}`. There is no page of it."""
    webhook_url: str | None
    """Where its changes of status are told, or null."""
    planner: str | None
    """Which planner works on it: `keywords`, the one that is built in, or the id of a model; null where somebody outside
    does."""
    budget: ProjectBudget | None
    """What the agent may take, or null."""
    spent: ProjectSpent
    """What it took, as of the latest change of status: charged, or held for what goes on."""
    left: BudgetLeft
    """What is left of the budget."""
    timeline_id: str | None
    """The timeline that the agent made, for the timelines' tools; or null."""
    output_item_id: str | None
    """The item that the agent made, or null."""
    assets: list[ProjectAsset]
    """What was made for it."""
    timeline: ProjectTimeline | None
    """How that is put together, or null."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ProjectAsset(Model):
    """Something that was made for a project."""

    __slots__ = ()
    ref: str
    """What names it. With `idle` and `rendering`, an item of the library, unless it has a `url`."""
    type: str
    """What it is, such as `image_to_video`."""
    url: str | None
    """Where it is, an http or https URL."""
    model: str | None
    """What made it."""
    prompt: str | None
    """What that was told."""
    duration: float | None
    """Seconds."""
    aspect_ratio: str | None
    """Such as `16:9`."""
    source_image_url: str | None
    """The picture that it was made from."""
    source_video_url: str | None
    """The video that it was made from."""
    reference_image_url: str | None
    """The picture that it was made after."""
    created_at: str | None
    """When it was made; when not given, the time of the change that brought it."""


class ProjectAudio(Model):
    """What is heard in a timeline."""

    __slots__ = ()
    voiceover: Any
    """The voice, or null."""
    music: Any
    """The music, or null."""
    tracks: list[Any] | None
    """All tracks."""


class ProjectBudget(Model):
    """What the agent may take, in all of its work on the project. What is left out has no bound of its own."""

    __slots__ = ()
    minutes: float | None
    """Cloud minutes, for reads and renders; to the hundredth."""
    credits: float | None
    """AI credits, for what providers' models make; to the hundredth. The planner that is built in uses none."""
    steps: int | None
    """Calls of tools, and questions to a model, 1 to 1000; 200 when not given."""


class ProjectDelivery(Model):
    """The one webhook of a change of status."""

    __slots__ = ()
    delivery_id: str
    """Its id."""
    project_id: str
    """The project."""
    revision: int
    """The revision that it tells of."""
    event: ProjectState
    """The status that it tells of; never `cancelled`."""
    url: str
    """Where it goes."""
    status: ProjectDeliveryState
    """Where it stands."""
    response_status: int | None
    """The receiver's status, or null when none came."""
    error: str | None
    """What was wrong, or null: a word as in the log of job webhooks."""
    response_excerpt: str | None
    """The start of the receiver's answer, or null."""
    duration_ms: int | None
    """How long it took, or null."""
    created_at: str
    """When the status changed."""
    sent_at: str | None
    """When it was sent, or null."""
    finished_at: str | None
    """When its end was known, or null."""

ProjectDeliveryState = Literal['pending', 'sent', 'succeeded', 'failed', 'unknown']
"""Where the webhook of a change stands."""


class ProjectMessage(Model):
    """Something said to the agent."""

    __slots__ = ()
    text: str
    """What to change, 1 to 4000 characters: another length, words to look for or to leave out, with or without music or
    captions. What is not named stays as it was."""
    budget: ProjectBudget | None
    """What the agent may take from now on, in all of its work on the project; what is left out stays."""

ProjectMode = Literal['autonomous', 'manual']
"""Who works on a project."""

ProjectOutputType = Literal['assembled', 'timeline', 'clips']
"""What is to come out of a project."""


class ProjectScene(Model):
    """One scene of a timeline."""

    __slots__ = ()
    id: str
    """Its id."""
    ref: str | None
    """The asset that is shown."""
    type: str | None
    """What it is."""
    position: int | None
    """Its place in the order."""
    duration: float | None
    """Seconds."""
    description: str | None
    """What happens in it."""
    image_url: str | None
    """Its picture."""
    video_url: str | None
    """Its video."""
    video_model: str | None
    """What made the video."""
    image_model: str | None
    """What made the picture."""
    prompt: str | None
    """What that was told."""
    volume: float | None
    """How loud it is."""
    fade_in: Any
    """How it comes in, or null."""
    fade_out: Any
    """How it goes, or null."""


class ProjectSettings(Model):
    """A project's settings."""

    __slots__ = ()
    webhook_url: str | None
    """Where its changes of status are told, or null."""


class ProjectSpent(Model):
    """What the agent took."""

    __slots__ = ()
    minutes: float
    """Cloud minutes."""
    credits: float
    """AI credits."""
    steps: int
    """Calls of tools."""

ProjectState = Literal['running', 'generating', 'idle', 'rendering', 'failed', 'cancelled']
"""Where a project stands (contract §3)."""


class ProjectStep(Model):
    """A call of a tool by a project's agent, or a question to its model."""

    __slots__ = ()
    id: str
    """Its id."""
    run_id: str
    """The run that it belongs to: the work on the brief, or on what was said."""
    said: str | None
    """What was said; null of the brief."""
    number: int
    """Its place in the run, from 1. `<run_id>/<number>` is the Idempotency-Key of a call."""
    tool: str
    """The tool; `chat` where the model was asked what comes next."""
    arguments: Any
    """What it was called with; empty of a long one that has ended."""
    status: ProjectStepState
    """Where it stands."""
    message: str | None
    """Why the tool refused; of a `chat` that is done what the model said, and which tools it asked for; or null."""
    began_at: str
    """When it was begun."""
    ended_at: str | None
    """When it ended, or null."""

ProjectStepState = Literal['begun', 'done', 'refused']
"""Where a step stands."""


class ProjectTimeline(Model):
    """How a project's video is put together."""

    __slots__ = ()
    duration_seconds: float | None
    """Seconds."""
    aspect_ratio: str | None
    """Such as `16:9`."""
    skills: list[str] | None
    """The skills that were used."""
    scenes: list[ProjectScene] | None
    """The scenes, in their order."""
    audio: ProjectAudio | None
    """What is heard."""
    overlays: list[Any] | None
    """What is laid over the scenes."""
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
    """What clients call the item."""
    rights: list[LinkRight]
    """What its visitors may do."""
    has_passphrase: bool
    """Whether its visitors have to give a passphrase."""
    live: bool
    """Whether it works now."""
    expires_at: str
    """When it ends by itself."""
    revoked_at: str | None
    """When it was revoked; null when it was not."""
    views: int
    """How often its page was asked for."""
    last_viewed_at: str | None
    """When it last was; null when it never was."""
    created_at: str
    """When it was made."""
    created_by: str | None
    """The id of the user or the key that made it."""


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
    """Where to pull from."""

    __slots__ = ()
    url: str
    """A feed or a page: HTTPS and publicly reachable, as each of up to five redirects has to be."""
    limit: int | None
    """Posts of a feed to take, 1 to 50; 50 when not given."""


class PulledPosts(Model):
    """What was pulled."""

    __slots__ = ()
    posts: list[Post]
    """The posts, in the feed's order."""


class PutMember(Model):
    """A membership to give or to change."""

    __slots__ = ()
    workspace_id: str
    """The workspace; it may be another account's than the user's."""
    user_id: str
    """The user."""
    role: RoleWord
    """What they may do there."""

RanOn = Literal['cloud']
"""Where the work ran (contract §2, `ran_on`)."""


class ReadEngine(Model):
    """What computed a read."""

    __slots__ = ()
    name: str
    """Its name."""
    version: str
    """Its version."""
    model: str | None
    """The model that it ran; null where there is none."""

ReadFormat = Literal['json', 'txt', 'srt', 'vtt']
"""What a stored read is answered as."""

ReadKind = Literal['transcript', 'search_index', 'speech', 'speakers', 'beats', 'levels']
"""A read kind (contract §2)."""


class ReadOneItem(Model):
    """Which item to read."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    dry_run: bool | None
    """`true` answers what the call would start and hold, and starts nothing."""

ReadQuality = Literal['standard', 'draft']
"""How far to rely on a read."""


class ReadRates(Model):
    """Minutes charged for a minute of media, by read (contract §10) and for a render."""

    __slots__ = ()
    transcript: float
    """Text transcript."""
    search_index: float
    """A video's moments."""
    speech: float
    """Where speech sits."""
    speakers: float
    """Speaker reading."""
    beats: float
    """Beat positions."""
    levels: float
    """Loudness."""
    render: float
    """A new item made of others."""
    generation: float
    """A new item made with an engine that is built in."""
    dub: float
    """What is said, in another language."""


class ReadReason(Model):
    """Why a read was not started."""

    __slots__ = ()
    code: str
    """One of the documented reasons, such as `no_audio`, `item_not_ready` or `insufficient_minutes`."""
    message: str
    """What to do about it."""

ReadStatus = Literal['ready', 'queued', 'startable', 'skipped', 'held', 'refused']
"""What became of a read (contract §3)."""


class ReadsOnReady(Model):
    """Reads that start once their item is ready."""

    __slots__ = ()
    reads: list[str]
    """Which were asked for."""
    answers: list[PreparedRead] | None
    """What became of each, in the words of `prepare_media`. Null until they are started: while the item is not ready, while
    the account has to wait before it may start jobs, and for good where the item failed."""

Reason = Literal['user', 'too_many_failures', 'suspended']
"""Why an endpoint is disabled."""


class ReceivedBytes(Model):
    """Bytes that arrived."""

    __slots__ = ()
    id: str
    """The upload's id."""
    received_bytes: int
    """How many bytes arrived."""
    sha256: str
    """Their SHA-256 in hexadecimal."""


class RedeemCode(Model):
    """A code to redeem."""

    __slots__ = ()
    code: str
    """What `get_api_session` returned; starts with `esx_`."""


class RemoveSilence(Model):
    """What to cut, and how closely."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    min_silence_ms: int | None
    """Milliseconds of the shortest silence that is cut, 100 to 60000; what the settings say when not given, or 500."""
    padding_ms: int | None
    """Milliseconds that stay before and after speech, 0 to 5000; what the settings say when not given, or 50."""
    render: bool | None
    """Whether to make a new item of what is kept; false when not given."""
    timeline: bool | None
    """Whether to make a timeline of it, which can be edited, exported and rendered; false when not given. Not with `render`."""
    dry_run: bool | None
    """`true` answers what the call would start and hold, and starts nothing: the read, or once that is stored the render."""


class RenderCanvas(Model):
    """What to render."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    format: PictureFormat | None
    """What it is rendered as; `png` when not given."""
    scale: float | None
    """How many pixels of the picture a pixel of the canvas is, 0.01 to 8; 1 when not given."""
    values: dict[str, Any] | None
    """What placeholders stand for, by their names; each of the canvas has to have one."""
    dry_run: bool | None
    """`true` answers what the call would hold, and starts nothing."""


class RenderDub(Model):
    """Which dub to speak."""

    __slots__ = ()
    dub_id: str
    """The dub."""
    dry_run: bool | None
    """`true` answers what the call would hold, and starts nothing."""

RenderFormat = Literal['mp4', 'webm', 'mov', 'mp3', 'wav']
"""What a timeline is rendered as."""

RenderQuality = Literal['draft', 'standard']
"""How well."""


class RenderTimeline(Model):
    """What to render."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    format: RenderFormat | None
    """What it is rendered as; `mp4` when not given."""
    quality: RenderQuality | None
    """How well; `standard` when not given."""
    dry_run: bool | None
    """`true` answers what the call would hold, and starts nothing."""


class RenderedCanvas(Model):
    """Where the render stands."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    revision: int
    """The revision of it that is rendered."""
    width: int
    """Pixels of the picture across."""
    height: int
    """Pixels of the picture down."""
    status: NeedStatus
    """Whether the picture is there."""
    job_id: str | None
    """The job that renders it; when queued."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    output_item_id: str | None
    """The rendered item; when ready."""
    warnings: list[str]
    """What of the canvas is not in the picture, in whole sentences."""


class RenderedTimeline(Model):
    """Where the render stands."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    revision: int
    """The revision of it that is rendered."""
    duration_seconds: float
    """How long the film is."""
    status: NeedStatus
    """Whether the film is there."""
    job_id: str | None
    """The job that renders it; when queued."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    output_item_id: str | None
    """The rendered item; when ready."""
    warnings: list[str]
    """What of the timeline is not in the film, in whole sentences."""

ReportedStatus = Literal['running', 'generating', 'idle', 'rendering', 'failed']
"""A status that is told by a webhook: every one but `cancelled` (contract §6.2.2)."""


class Resend(Model):
    """What to send again: one of the two."""

    __slots__ = ()
    delivery_id: str | None
    """This delivery."""
    since: str | None
    """Every event since this time whose last delivery failed or was skipped."""


class ResendAll(Model):
    """Which events to send again: those whose last delivery to an endpoint failed or was skipped."""

    __slots__ = ()
    since: str
    """Whose deliveries began at or after this time."""
    until: str | None
    """And before this one."""
    account_id: str | None
    """Only to endpoints of this account."""
    endpoint_id: str | None
    """Only to this endpoint."""
    status: Unarrived | None
    """Only those that ended so."""
    event_type: Kind | None
    """Only of this type."""
    http_status: int | None
    """Only those last answered with this status."""
    error: str | None
    """Only those whose last attempt came to this, such as `tls_failed`."""
    dry_run: bool | None
    """`true` sends nothing, and counts what would be sent."""


class ResentAll(Model):
    """What was sent again, or would be."""

    __slots__ = ()
    dry_run: bool
    """Whether nothing was sent, because that was asked for."""
    resent: int
    """Deliveries that were begun, or would be."""
    endpoints: list[ResentTo]
    """By endpoint."""
    disabled: int
    """Events to endpoints that are disabled: nothing is sent to those."""
    has_more: bool
    """Whether there are more: send the request again."""


class ResentSince(Model):
    """How much a resend by time has started."""

    __slots__ = ()
    resent: int
    """Deliveries that were begun."""
    has_more: bool
    """Whether there are more: call again."""


class ResentTo(Model):
    """What was sent again to one endpoint, or would be."""

    __slots__ = ()
    endpoint_id: str
    """The endpoint."""
    account_id: str
    """Its account."""
    resent: int
    """How many."""


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
"""A role in a workspace; each may do what those before it may."""


class RunTemplate(Model):
    """Which template to run, and what to change for this run."""

    __slots__ = ()
    name: str
    """What it is called."""
    overrides: dict[str, Any] | None
    """Arguments in the place of the template's; null for none."""


class SaveSkill(Model):
    """A skill to save."""

    __slots__ = ()
    name: str
    """What it is called, 1 to 200 characters; it is found by that."""
    text: str
    """What it says, as Markdown: 1 to 20,000 bytes."""
    description: str | None
    """What it is for, at most 500 characters on one line."""
    if_revision: int | None
    """The revision that is written over, 0 where there should be none yet. Another one stands: 409 `revision_conflict`;
    there is one already: 409 `name_taken`. Without it, whatever stands is written over."""


class SaveTemplate(Model):
    """A template to save."""

    __slots__ = ()
    name: str
    """What it is called, 1 to 200 characters; it is found by that."""
    tool: str
    """The tool that it calls: any but `run_template`."""
    arguments: dict[str, Any]
    """What it calls the tool with. What the tool requires may be absent; a run adds it."""
    if_revision: int | None
    """The revision that is written over, 0 where there should be none yet. Another one stands: 409 `revision_conflict`;
    there is one already: 409 `name_taken`. Without it, whatever stands is written over."""

SceneFit = Literal['contain', 'cover']
"""How a picture of other proportions gets into the timeline's."""


class SceneTransition(Model):
    """How one scene becomes the next."""

    __slots__ = ()
    kind: TransitionKind
    """How."""
    seconds: float | None
    """How long a crossfade takes, at most 10 s and half of the shorter scene."""

SceneType = Literal['clip', 'image', 'color']
"""What a scene shows."""


class ScriptSegment(Model):
    """A segment of a script."""

    __slots__ = ()
    start: float
    """The second at which it begins."""
    end: float
    """The second at which it ends."""
    text: str
    """What is spoken, 1 to 1,000 characters."""
    speaker: str | None
    """Who speaks; `speaker_1` when not given."""


class Secret(Model):
    """The account's signing secret."""

    __slots__ = ()
    secret: str
    """The secret, `whsec_` and all: the whole text is the key of the signature."""
    created_at: str
    """When it was made."""
    previous_expires_at: str | None
    """Until when the secret before it verifies too, or null."""


class SentAttempt(Model):
    """One attempt, with what was sent."""

    __slots__ = ()
    attempt: int
    """Its number, as in `Service-Attempt`."""
    at: str
    """When it began."""
    duration_ms: int
    """How long it took."""
    request_host: str | None
    """The host that it went to, or null when nothing is known to have been sent."""
    request_path: str | None
    """The path there, without the query string, or null."""
    request_headers: dict[str, Any] | None
    """The headers as they were sent, signature and all, or null."""
    response_status: int | None
    """The receiver's status, or null when none came."""
    error: str | None
    """What was wrong, or null: a word as in the list of deliveries."""
    response_excerpt: str | None
    """The start of the receiver's answer, at most 1 KiB, or null."""


class SessionCodeAnswer(Model):
    """A session code."""

    __slots__ = ()
    code: str
    """Starts with `esx_`; `POST /sessions/redeem` takes it once."""
    expires_in: int
    """Seconds until it can't be redeemed any more."""


class SessionTokenAnswer(Model):
    """A script session's token."""

    __slots__ = ()
    token: str
    """The bearer token."""
    token_type: TokenType
    """Always `Bearer`."""
    expires_in: int
    """Seconds that it lives: 1800."""
    expires_at: str
    """When it ends."""
    workspace_id: str
    """The workspace it works in."""


class SettingsAnswer(Model):
    """The settings."""

    __slots__ = ()
    settings: WorkspaceSettings
    """The settings."""


class SilenceAnswer(Model):
    """What to keep of an item, or the job that finds out; with `render`, where the new item stands."""

    __slots__ = ()
    ref: str
    """As it was asked for."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether all that was asked for is there."""
    job_id: str | None
    """The job to follow with `get_jobs`; when queued. Without `keep` it is the one that reads where somebody speaks: call
    again when it has ended. With `keep` it is the render."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    keep: list[KeptSpan] | None
    """The parts to keep, in order and apart from each other; once it is known where somebody speaks."""
    removed_seconds: float | None
    """Seconds that go."""
    output_item_id: str | None
    """The rendered item; when asked for and ready."""
    timeline_id: str | None
    """The timeline that was made; when asked for."""


class Skill(Model):
    """A skill."""

    __slots__ = ()
    name: str
    """What it is called."""
    description: str | None
    """What it is for."""
    text: str
    """What it says, as Markdown."""
    revision: int
    """How many times it was written."""
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


class SpeakerTurn(Model):
    """One voice's turn."""

    __slots__ = ()
    start: float
    """Where it begins."""
    end: float
    """Where it ends."""
    speaker: str
    """Who speaks."""


class SpeakerVoice(Model):
    """The voice of a speaker."""

    __slots__ = ()
    speaker: str
    """Who, as the `speakers` read or the script calls them."""
    voice: str
    """The voice, as its engine names it: in English one of `flite`'s, else `espeak-ng`'s, such as `es+f3`."""


class SpeakersAnswer(Model):
    """Who speaks when in an item, or the job that finds out."""

    __slots__ = ()
    ref: str
    """As it was asked for."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether the read is there."""
    job_id: str | None
    """The job that computes it; when queued. Follow it with `get_jobs`, then call again."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    speakers: StoredReadSpeakersData | None
    """The read; when ready."""
    speech: StoredReadSpeechData | None
    """The speech read that it rests on; when that is stored too."""


class SpeakersData(Model):
    """Who speaks when."""

    __slots__ = ()
    speakers: list[str]
    """Their names, in the order in which they first speak."""
    segments: list[SpeakerTurn]
    """Their turns."""


class SpeechData(Model):
    """Where somebody speaks."""

    __slots__ = ()
    segments: list[SpeechSegment]
    """The stretches of speech."""
    speech_ratio: float
    """The part of the media that is speech, 0 to 1."""


class SpeechSegment(Model):
    """A stretch of speech."""

    __slots__ = ()
    start: float
    """Where it begins."""
    end: float
    """Where it ends."""
    confidence: float
    """The mean probability of a voice in it, 0 to 1."""

Status = Literal['pending', 'succeeded', 'failed', 'skipped', 'cancelled']
"""Where a delivery stands."""


class StoredReadBeatsData(Model):
    """A read as it is stored. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this shape."""
    kind: ReadKind
    """Which read it is."""
    engine: ReadEngine
    """What computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How far to rely on it."""
    warnings: list[str]
    """What should be known of it, in whole sentences."""
    data: BeatsData
    """What was found."""


class StoredReadSpeakersData(Model):
    """A read as it is stored. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this shape."""
    kind: ReadKind
    """Which read it is."""
    engine: ReadEngine
    """What computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How far to rely on it."""
    warnings: list[str]
    """What should be known of it, in whole sentences."""
    data: SpeakersData
    """What was found."""


class StoredReadSpeechData(Model):
    """A read as it is stored. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this shape."""
    kind: ReadKind
    """Which read it is."""
    engine: ReadEngine
    """What computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How far to rely on it."""
    warnings: list[str]
    """What should be known of it, in whole sentences."""
    data: SpeechData
    """What was found."""


class StoredReadTranscriptData(Model):
    """A read as it is stored. Times are seconds from the media's start."""

    __slots__ = ()
    schema: int
    """The version of this shape."""
    kind: ReadKind
    """Which read it is."""
    engine: ReadEngine
    """What computed it."""
    duration_seconds: float
    """Seconds of media that were decoded."""
    quality: ReadQuality
    """How far to rely on it."""
    warnings: list[str]
    """What should be known of it, in whole sentences."""
    data: TranscriptData
    """What was found."""


class StoredStamp(Model):
    """That a read is stored."""

    __slots__ = ()
    stored_at: str
    """Since when."""

Subscribed = Literal['job.succeeded', 'job.failed', 'job.cancelled']
"""What an endpoint can be told of (contract §2)."""


class SuspendAccount(Model):
    """Why, and what becomes of what is under way."""

    __slots__ = ()
    reason: str
    """Why, in words that the account's callers are told."""
    end_work: bool | None
    """`true` also cancels the jobs that the account pays for, and ends its uploads and imports."""


class SuspendedAccount(Model):
    """A suspended account, and what was ended of its work."""

    __slots__ = ()
    account: OperatorAccount
    """The account."""
    ended_jobs: int
    """Jobs that were cancelled, or asked to stop."""
    ended_uploads: int
    """Uploads and imports that were ended."""


class TakeLease(Model):
    """How long to hold an item's reads back."""

    __slots__ = ()
    seconds: int
    """Seconds from now; a lease that is there already then ends at the new time."""


class Template(Model):
    """A template."""

    __slots__ = ()
    name: str
    """What it is called."""
    tool: str
    """The tool that it calls."""
    arguments: dict[str, Any]
    """What it calls the tool with."""
    revision: int
    """How many times it was written."""
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
    """When."""
    bpm: float
    """Beats a minute."""


class TextLook(Model):
    """What a text looks like."""

    __slots__ = ()
    color: str | None
    """The colour of the letters, as `#ffffff`, which it is when absent."""
    background: str | None
    """The colour behind them; none when absent. Of captions without a `color` it is then that of the settings or the brand
    kit, and an empty text is none."""
    size: float | None
    """The height of a line, 0.01 to 0.5 of the picture's; 0.06 when absent."""
    family: str | None
    """One of the `families` that `get_brand_kit` lists; the first of them when absent, or where the text has letters that
    the others lack."""


class Timeline(Model):
    """A timeline. Times are seconds."""

    __slots__ = ()
    id: str
    """Its id."""
    name: str
    """What it is called."""
    revision: int
    """How many times it was written."""
    duration_seconds: float
    """How long it is."""
    aspect_ratio: str
    """The picture's proportions, as `16:9`."""
    width: int
    """Pixels across."""
    height: int
    """Pixels down."""
    fps: float
    """Frames a second."""
    language: str | None
    """The language that is spoken in it."""
    variant_of: str | None
    """The timeline that it is a variant of."""
    skills: list[str]
    """Names of the skills that it is made by."""
    scenes: list[TimelineScene]
    """What is seen, one after the other."""
    audio: TimelineAudio
    """What is heard beside the scenes."""
    overlays: list[TimelineOverlay]
    """What stands over the scenes, later ones over earlier ones."""
    captions: CaptionText | None
    """What is said, to be read."""
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
    """What is heard beside the scenes."""

    __slots__ = ()
    voiceover: TimelineTrack | None
    """Who speaks over all of it."""
    music: TimelineTrack | None
    """The music under it."""
    tracks: list[TimelineTrack]
    """Whatever else."""


class TimelineOp(Model):
    """One change of a timeline. Times are seconds. A field that the operation does not take is refused."""

    __slots__ = ()
    op: TimelineOpKind
    """What is done."""
    scene_id: str | None
    """The scene. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent."""
    new_scene_id: str | None
    """The id of the scene that a split makes."""
    track_id: str | None
    """The track. Of a new one: as `scene_id`."""
    overlay_id: str | None
    """The overlay. Of a new one: as `scene_id`."""
    slot: AudioSlot | None
    """Which of the two tracks that have a place of their own."""
    position: int | None
    """The place from 0, counted without that which moves; the end when absent."""
    ref: str | None
    """What names the item that is shown or heard."""
    type: SceneType | None
    """What a scene shows; what its item or colour says when absent."""
    kind: OverlayType | None
    """What an overlay is; what its item or text says when absent."""
    color: str | None
    """The colour of a scene, as `#1a2b3c`."""
    start: float | None
    """Where in its item a scene or a track begins; when an overlay appears."""
    offset: float | None
    """When in the timeline a track begins."""
    duration: float | None
    """How long it lasts; to the end of its item when absent, and 5 s of a still."""
    at: float | None
    """How far into a scene it is split."""
    fit: SceneFit | None
    """How a scene's picture gets into the timeline's; `contain` when absent."""
    volume: float | None
    """How loud, 0 to 4; 1 leaves it as it is."""
    fade_in: float | None
    """How long it takes to come up from silence, and a scene from black."""
    fade_out: float | None
    """How long it takes to go down to them."""
    transition: SceneTransition | None
    """How the scene before becomes this one."""
    description: str | None
    """What a scene is about, at most 2,000 characters."""
    prompt: str | None
    """What its picture is generated from, at most 2,000 characters."""
    image_model: str | None
    """The model that makes its image."""
    video_model: str | None
    """The model that makes its video."""
    duck_under_voice: bool | None
    """Whether a track goes down while the voiceover or a scene speaks, as far as their `speech` reads are stored."""
    duck_db: float | None
    """Decibels that it goes down, 0 to 60; 12 when absent."""
    attack_ms: int | None
    """Milliseconds that it takes to go down, 10 to 10000; 200 when absent."""
    release_ms: int | None
    """Milliseconds that it takes to come back, 10 to 10000; 500 when absent."""
    text: str | None
    """What an overlay says, at most 2,000 characters."""
    x: float | None
    """An overlay's left side, 0 to 1 of the width."""
    y: float | None
    """Its upper side, 0 to 1 of the height."""
    width: float | None
    """An overlay's width, 0 to 1 of the picture's; of a format its pixels across."""
    height: float | None
    """The same of the height."""
    opacity: float | None
    """How much an overlay hides of what is under it, 0 to 1."""
    style: TextLook | None
    """What an overlay's text looks like."""
    captions: CaptionText | None
    """The captions."""
    aspect_ratio: str | None
    """Proportions of the picture, as `9:16`; the shorter side stays."""
    fps: float | None
    """Frames a second: a whole number from 1 to 60, or 23.976, 29.97 or 59.94."""
    language: str | None
    """The language that is spoken, such as `eng`."""
    skills: list[str] | None
    """Names of the skills that the timeline is made by, at most 50."""
    variant_of: str | None
    """The timeline that it is a variant of."""

TimelineOpKind = Literal['add_scene', 'update_scene', 'move_scene', 'remove_scene', 'split_scene', 'set_audio', 'add_track', 'update_track', 'remove_track', 'add_overlay', 'update_overlay', 'remove_overlay', 'set_captions', 'set_format', 'set_details']
"""What an operation does."""


class TimelineOverlay(Model):
    """A picture or a text over the scenes."""

    __slots__ = ()
    id: str
    """Its id, one in its timeline."""
    kind: OverlayType
    """What it is."""
    ref: str | None
    """What clients call its item; null without one, and when it is deleted."""
    item_id: str | None
    """The picture."""
    item_deleted: bool
    """Whether that item is deleted."""
    text: str | None
    """The text."""
    start: float
    """When it appears."""
    duration: float
    """How long it stays."""
    x: float
    """Its left side, 0 to 1 of the width."""
    y: float
    """Its upper side, 0 to 1 of the height."""
    width: float
    """Its width, 0 to 1 of the picture's."""
    height: float
    """Its height, 0 to 1 of the picture's."""
    opacity: float
    """How much it hides of what is under it, 0 to 1."""
    style: TextLook
    """What a text looks like."""


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
    """A scene."""

    __slots__ = ()
    id: str
    """Its id, one in its timeline."""
    ref: str | None
    """What clients call its item; null without one, and when it is deleted."""
    item_id: str | None
    """The item that it shows."""
    item_deleted: bool
    """Whether that item is deleted."""
    type: SceneType
    """What it shows."""
    position: int
    """Its place, from 0."""
    start: float
    """Where in its item it begins."""
    duration: float
    """How long it lasts."""
    begins_at: float
    """When in the timeline it begins."""
    color: str | None
    """Its colour."""
    fit: SceneFit
    """How its picture gets into the timeline's."""
    volume: float
    """How loud it is."""
    fade_in: float | None
    """How long it takes to come up; null at once."""
    fade_out: float | None
    """How long it takes to go down; null at once."""
    transition: SceneTransition
    """How the scene before becomes this one. A crossfade takes no longer than half of the shorter of the two."""
    description: str | None
    """What it is about."""
    prompt: str | None
    """What its picture is generated from."""
    image_model: str | None
    """The model that makes its image."""
    video_model: str | None
    """The model that makes its video."""
    image_url: str | None
    """A link to its picture; of `get_timeline` alone, and where it is one."""
    video_url: str | None
    """A link to its video; of `get_timeline` alone, and where it is one."""


class TimelineTrack(Model):
    """A sound at a place of the timeline."""

    __slots__ = ()
    id: str
    """Its id, one in its timeline."""
    ref: str | None
    """What clients call its item; null when it is deleted."""
    item_id: str
    """The item that is heard."""
    item_deleted: bool
    """Whether that item is deleted."""
    start: float
    """Where in its item it begins."""
    offset: float
    """When in the timeline it begins."""
    duration: float
    """How long it is heard."""
    volume: float
    """How loud it is."""
    fade_in: float | None
    """How long it takes to come up; null at once."""
    fade_out: float | None
    """How long it takes to go down; null at once."""
    duck_under_voice: bool
    """Whether it goes down while somebody speaks."""
    duck_db: float | None
    """By how many decibels; null where it does not."""

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
    """What it does."""
    cloud: bool
    """Whether it may use cloud processing, which is measured in minutes."""
    input_schema: Any
    """The JSON Schema (OpenAPI 3.0) of its body, without references."""


class ToolAnswerBalancesAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: BalancesAnswer
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerBoardAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: BoardAnswer
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerDuckAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: DuckAnswer
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerExportedTimeline(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: ExportedTimeline
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerImportedTimeline(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: ImportedTimeline
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerPublicLinkAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: PublicLinkAnswer
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerRenderedTimeline(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: RenderedTimeline
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerRevokedCalendarFeed(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: RevokedCalendarFeed
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerSkillAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: SkillAnswer
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerTemplateAnswer(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: TemplateAnswer
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
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
    """What the tool answers."""
    meta: CloudMeta
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolAnswerFields(Model):
    """A tool's answer (contract §4.2)."""

    __slots__ = ()
    ok: Literal[True]
    """Always true: any refusal has another status and the error envelope."""
    data: dict[str, Any]
    """What the tool answers."""
    meta: Meta
    """The request's id and what it cost."""
    media: list[MediaLink] | None
    """Media to show beside the answer: of the items in it that are ready."""


class ToolList(Model):
    """The tools."""

    __slots__ = ()
    data: list[Tool]
    """All tools, in the order of their names."""
    has_more: bool
    """Always false: they are few, and all here."""
    next_cursor: str | None
    """Always null."""


class TranscribeMedia(Model):
    """Which item to transcribe, and how to write what is said."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    format: ReadFormat | None
    """`txt`, `srt` and `vtt` answer the transcript as `text` in that form; `json`, or nothing, as `transcript`."""
    dry_run: bool | None
    """`true` answers what the call would start and hold, and starts nothing."""


class TranscriptAnswer(Model):
    """An item's transcript, or the job that makes it."""

    __slots__ = ()
    ref: str
    """As it was asked for."""
    item_id: str
    """The item."""
    status: NeedStatus
    """Whether the read is there."""
    job_id: str | None
    """The job that computes it; when queued. Follow it with `get_jobs`, then call again."""
    estimated_minutes: float | None
    """Minutes held for that job, or that would be; when queued or startable."""
    transcript: StoredReadTranscriptData | None
    """The read; when ready, and not asked for in another form."""
    format: ReadFormat | None
    """The form of `text`."""
    text: str | None
    """The transcript in that form; when ready."""


class TranscriptData(Model):
    """What is said."""

    __slots__ = ()
    language: str | None
    """ISO 639-1, or what a transcription server calls it; null when nothing was said."""
    text: str
    """The whole text, a line a segment."""
    segments: list[TranscriptSegment]
    """The text in segments."""
    words: list[TranscriptWord]
    """The text in words."""


class TranscriptSegment(Model):
    """Words that belong together."""

    __slots__ = ()
    id: str
    """`s1`, `s2`, …"""
    start: float
    """Where its first word begins."""
    end: float
    """Where its last word ends."""
    text: str
    """Its words."""
    speaker: str | None
    """Who says most of it; absent while no speakers are stored on the item, and where nobody was heard."""


class TranscriptWord(Model):
    """A word."""

    __slots__ = ()
    word: str
    """As the engine wrote it."""
    start: float
    """Where it begins."""
    end: float
    """Where it ends."""
    confidence: float | None
    """How sure the engine is, 0 to 1; null when it does not say."""

TransitionKind = Literal['cut', 'crossfade']
"""How one scene becomes the next."""


class TroubledEndpoint(Model):
    """An endpoint that needs its owner."""

    __slots__ = ()
    id: str
    """Its id."""
    enabled: bool
    """Whether events are sent to it."""
    consecutive_failures: int
    """Failed attempts since the last success."""

Unarrived = Literal['failed', 'skipped']
"""How a delivery that is worth sending again has ended."""


class UndoBoard(Model):
    """Which board goes back."""

    __slots__ = ()
    board_id: str
    """The board."""
    if_revision: int | None
    """The revision that is undone; another one stands: 409 `revision_conflict`."""


class UndoCanvas(Model):
    """Which canvas goes back."""

    __slots__ = ()
    canvas_id: str
    """The canvas."""
    if_revision: int | None
    """The revision that is undone; another one stands: 409 `revision_conflict`."""


class UndoDub(Model):
    """Which dub goes back."""

    __slots__ = ()
    dub_id: str
    """The dub."""
    if_revision: int | None
    """The revision that is undone; another one stands: 409 `revision_conflict`."""


class UndoTimeline(Model):
    """Which timeline goes back."""

    __slots__ = ()
    timeline_id: str
    """The timeline."""
    if_revision: int | None
    """The revision that is undone; another one stands: 409 `revision_conflict`."""


class UnpaidProcessorTime(Model):
    """Processor time of failed, stopped and unusually long work. It is forgotten evenly, a day's share a day."""

    __slots__ = ()
    seconds: int
    """Seconds that count against the account now."""
    seconds_a_day: int
    """Seconds that an account may have a day (`MWS_UNPAID_PROCESSOR_SECONDS`)."""
    wait_seconds: int
    """For how many seconds it is refused new jobs and uploads, and what it has waiting is put off; 0 while it is not."""


class UpdateBrandKit(Model):
    """What to change of the brand kit. What is absent stays; a list is all of it from now on."""

    __slots__ = ()
    if_revision: int | None
    """The revision that the change is for, 0 before the first one. Another one stands: 409 `revision_conflict`."""
    colors: list[BrandColor] | None
    """Its colours, at most 50; the first stands for the brand."""
    fonts: list[BrandFont] | None
    """Its fonts, at most 50."""
    logos: list[LogoToSet] | None
    """Its logos, at most 50."""
    voice: str | None
    """How the brand speaks, at most 2,000 characters; null for nothing of it."""
    caption_style: CaptionStyle | None
    """How its captions look; null for nothing of it."""


class UpdateCalendarEntry(Model):
    """What to change of an entry."""

    __slots__ = ()
    entry_id: str
    """The entry."""
    title: str | None
    """What is planned, 1 to 200 characters."""
    starts_at: str | None
    """From when."""
    ends_at: str | None
    """Until when; null for open."""
    refs: list[str] | None
    """What names the items that it is about, all of them."""
    channel: str | None
    """Where it is to be seen; null for nothing of it."""
    note: str | None
    """What is to be known beside; null for nothing."""
    status: CalendarStatus | None
    """How far it is."""


class UpdateComment(Model):
    """What to change of a comment; what is absent stays as it is."""

    __slots__ = ()
    comment_id: str
    """The comment."""
    text: str | None
    """Its new words; only its author changes them."""
    resolved: bool | None
    """Whether it is done with."""


class UpdateItem(Model):
    """What to change of an item; what is absent stays as it is."""

    __slots__ = ()
    name: str | None
    """What people will call it."""
    ref: str | None
    """What clients will call it, unique in the workspace. Its id and the old media links go on working."""
    tags: list[str] | None
    """All of its tags from now on: at most 20, each of 1 to 64 characters. Two that differ in case alone are one."""


class UpdateItemArguments(Model):
    """Which item to change, and how."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    name: str | None
    """What people will call it."""
    new_ref: str | None
    """What clients will call it, unique in the workspace. Its id goes on naming it."""
    tags: list[str] | None
    """All of its tags from now on: at most 20, each of 1 to 64 characters. Two that differ in case alone are one."""


class UpdateSettings(Model):
    """What to change of the settings. What is absent stays; null, or an empty list, is the service's own default again."""

    __slots__ = ()
    if_revision: int | None
    """The revision that the change is for, 0 before the first one. Another one stands: 409 `revision_conflict`."""
    name: str | None
    """What the workspace is called on the pages of public links, 1 to 200 characters."""
    default_language: str | None
    """The language of the workspace's media, as a tag of BCP 47 such as `en` or `pt-BR`: what `generate_audio` speaks that
    names no language, voice or model, and what a public link's captions are in whose transcript doesn't say."""
    reads_on_import: list[ReadKind] | None
    """The reads that an upload or an import starts which names none."""
    min_silence_ms: int | None
    """`min_silence_ms` of `remove_silence`, 100 to 60000."""
    padding_ms: int | None
    """`padding_ms` of `remove_silence`, 0 to 5000."""
    duck_db: float | None
    """`duck_db` of `duck_music`, 0 to 60."""
    caption_style: CaptionStyle | None
    """How the captions of timelines look where their `style` and `position` say nothing; what it leaves open is as the brand
    kit has it."""


class Upload(Model):
    """An upload that was started."""

    __slots__ = ()
    id: str
    """Its id."""
    status: UploadState
    """Whether bytes are awaited from you or fetched."""
    item_id: str
    """The item that it fills; in `processing` until it is ready or failed."""
    upload: Presigned | None
    """How to send the bytes; absent when they are fetched."""


class UploadDetail(Model):
    """An upload or an import."""

    __slots__ = ()
    id: str
    """Its id."""
    status: UploadProgress
    """How far it has come."""
    item_id: str
    """The item that it fills."""
    filename: str
    """What it is called."""
    content_type: str | None
    """The announced media type; null for an import."""
    bytes: int | None
    """The announced number of bytes; null for an import."""
    received_bytes: int | None
    """How many bytes have arrived; null before."""
    expires_at: str
    """When it is dropped, unless it was completed."""
    error: UploadFault | None
    """Why it failed; null unless it did."""
    created_at: str
    """When it was started."""
    finished_at: str | None
    """When it ended, or null."""


class UploadFault(Model):
    """Why an upload failed."""

    __slots__ = ()
    code: str
    """A code, as `error.code` of its item."""
    message: str
    """What went wrong, in words to act on."""


class UploadPart(Model):
    """A part of a file."""

    __slots__ = ()
    number: int
    """Its number, from 1."""
    start: int
    """Where it begins in the file."""
    bytes: int
    """How many bytes it has."""
    url: str
    """Where to put them, with the headers of the whole."""

UploadProgress = Literal['awaiting_upload', 'processing', 'done', 'failed', 'expired']
"""How far an upload has come."""

UploadState = Literal['awaiting_upload', 'fetching']
"""What an upload waits for."""


class UpscaleMedia(Model):
    """A picture or a film, made larger."""

    __slots__ = ()
    ref: str
    """An item ref, an item id, or the id of the job that made the item."""
    factor: int
    """How many times as wide and as high: 2 or 4."""
    model: str | None
    """The model, by its id; `lanczos` when not given, which is built in, costs no credits and invents nothing."""
    context: str | None
    """One sentence that is shown beside the job."""
    dry_run: bool | None
    """`true` answers what the call would cost, and starts nothing."""

WaitFor = Literal['any', 'all']
"""What a long poll waits for."""


class Webhook(Model):
    """A webhook endpoint."""

    __slots__ = ()
    id: str
    """Its id."""
    url: str
    """Where events are sent."""
    description: str | None
    """What you call it, or null."""
    event_types: list[str]
    """What it is told of."""
    kinds: list[str] | None
    """Of which kinds of jobs, or null: of all."""
    enabled: bool
    """Whether events are sent."""
    disabled_reason: Reason | None
    """Why they are not, or null."""
    disabled_at: str | None
    """Since when they are not, or null."""
    consecutive_failures: int
    """Attempts that failed since the last success. At ten it is time to look; at twenty the endpoint is disabled."""
    last_success_at: str | None
    """When an attempt last succeeded, to ten seconds, or null."""
    created_at: str
    """When it was registered."""
    updated_at: str
    """When it was last changed."""
    ping: Ping | None
    """The ping that `test: true` sent; only there then."""

Why = Literal['event', 'resend', 'test']
"""Why a delivery is sent."""

WordSource = Literal['said', 'shown']
"""How words are in an item."""


class Workspace(Model):
    """A workspace that the caller can reach."""

    __slots__ = ()
    id: str
    """Its id, as `x-workspace-id` takes it."""
    name: str
    """What its account calls it."""
    role: str
    """The caller's role: `owner`, `editor` or `viewer`."""
    is_default: bool
    """Whether it is the default workspace of your own account, which at most one is. A call without `x-workspace-id` acts
    there, if you and the connection can reach it."""
    created_at: str
    """When it was created."""


class WorkspaceMember(Model):
    """A member of a workspace."""

    __slots__ = ()
    user_id: str
    """The user."""
    user_name: str
    """What the user is called."""
    role: RoleWord
    """What they may do there."""
    created_at: str
    """Since when they are a member."""


class WorkspaceName(Model):
    """What a workspace is called."""

    __slots__ = ()
    name: str
    """Its name, 1 to 200 characters on one line."""


class WorkspaceSettings(Model):
    """The settings as they count: what nobody has set is the service's own default."""

    __slots__ = ()
    name: str | None
    """What the workspace is called on the pages of public links; null: nothing of it is said there."""
    default_language: str | None
    """The language of the workspace's media; null where it is not set."""
    reads_on_import: list[ReadKind]
    """The reads that an upload or an import starts which names none."""
    min_silence_ms: int
    """`min_silence_ms` of `remove_silence`."""
    padding_ms: int
    """`padding_ms` of `remove_silence`."""
    duck_db: float
    """`duck_db` of `duck_music`."""
    caption_style: CaptionStyle | None
    """How captions look that name no style; null where it is not set."""
    revision: int
    """How many times they were written; 0: never."""
    updated_at: str | None
    """When they were last changed; null: never."""

ErrorCode = Literal['invalid_request', 'invalid_json', 'invalid_cursor', 'code_malformed', 'unauthenticated', 'credential_revoked', 'token_expired', 'insufficient_minutes', 'insufficient_credits', 'workspace_forbidden', 'role_forbidden', 'account_suspended', 'user_disabled', 'session_not_allowed', 'key_wrong_workspace', 'link_invalid', 'link_expired', 'not_the_author', 'origin_forbidden', 'route_not_found', 'tool_not_found', 'item_not_found', 'job_not_found', 'comment_not_found', 'public_link_not_found', 'board_not_found', 'post_not_found', 'calendar_entry_not_found', 'calendar_feed_not_found', 'skill_not_found', 'template_not_found', 'timeline_not_found', 'canvas_not_found', 'dub_not_found', 'project_not_found', 'key_not_found', 'webhook_not_found', 'delivery_not_found', 'webhook_secret_not_found', 'upload_not_found', 'event_not_found', 'account_not_found', 'user_not_found', 'workspace_not_found', 'member_not_found', 'read_not_found', 'method_not_allowed', 'idempotency_in_progress', 'item_not_ready', 'item_leased', 'ref_taken', 'revision_conflict', 'name_taken', 'last_owner', 'nothing_to_undo', 'upload_incomplete', 'upload_offset_mismatch', 'key_limit_reached', 'endpoint_limit_reached', 'endpoint_disabled', 'quota_reached', 'rotation_in_progress', 'illegal_transition', 'subject_taken', 'code_not_redeemable', 'cursor_gone', 'tus_version_unsupported', 'request_too_large', 'file_too_large', 'unsupported_media_type', 'idempotency_key_reused', 'range_not_satisfiable', 'url_not_https', 'url_not_public', 'webhook_url_not_allowed', 'url_not_allowed', 'pull_failed', 'read_not_applicable', 'engine_not_configured', 'checksum_mismatch', 'chunk_mismatch', 'rate_limited', 'internal', 'unavailable', 'database_unavailable', 'shutting_down']
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
    """Where it stands."""
    revision: int
    """How many changes of status there were, the creation being the first. It orders what webhooks tell."""
    mode: str
    """How it is worked on: `autonomous` or `manual`."""
    output_type: str
    """What is to come out: `assembled`, `timeline` or `clips`."""
    brief: str
    """What was asked for."""
    agent_message: str | None
    """What the agent last said, or null."""
    assembled_url: str | None
    """Where the result is, or null."""
    assembled_url_expires_at: str | None
    """Until when it is there, or null."""
    project_url: str
    """Where the project is read, with a credential: `GET /projects/{id}`. There is no page of it."""
    webhook_url: str | None
    """Where its changes of status are told, or null."""
    planner: str | None
    """Which planner works on it: `keywords`, the one that is built in, or the id of a model; null where somebody outside
    does."""
    budget: ProjectBudget | None
    """What the agent may take, or null."""
    spent: ProjectSpent
    """What it took, as of the latest change of status: charged, or held for what goes on."""
    left: BudgetLeft
    """What is left of the budget."""
    timeline_id: str | None
    """The timeline that the agent made, for the timelines' tools; or null."""
    output_item_id: str | None
    """The item that the agent made, or null."""
    assets: list[ProjectAsset]
    """What was made for it."""
    timeline: ProjectTimeline | None
    """How that is put together, or null."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    event: ReportedStatus


AnyEvent = Union[JobEvent, PingEvent]
"""An event of either sort."""


Resent = Union[Delivery, ResentSince]
"""What will be sent."""


shapes(
    (AccountDetail, {'account': OperatorAccount, 'balances': BalancesAnswer, 'unpaid_processor': UnpaidProcessorTime}),
    (AddComment, {'region': CommentRegion}),
    (BalancesAnswer, {'credits': CreditsAnswer, 'rates': ReadRates}),
    (BeatsAnswer, {'beats': StoredReadBeatsData}),
    (BeatsData, {'tempo_curve': TempoPoint}),
    (Board, {'columns': BoardColumn}),
    (BoardAnswer, {'board': Board}),
    (BoardColumn, {'cards': BoardCard}),
    (BoardPage, {'boards': ListedBoard}),
    (BrandKit, {'colors': BrandColor, 'fonts': BrandFont, 'logos': BrandLogo, 'caption_style': CaptionStyle}),
    (BrandKitAnswer, {'brand_kit': BrandKit}),
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
    (FootageMatch, {'moment': MomentSpan}),
    (FootageMatches, {'matches': FootageMatch}),
    (GivenCredits, {'balances': BalancesAnswer}),
    (GivenMinutes, {'balances': BalancesAnswer}),
    (HealthFinding, {'numbers': HealthNumber}),
    (HealthReport, {'axes': HealthFinding}),
    (ImportedTimeline, {'timeline': Timeline}),
    (ItemAnswer, {'item': LibraryItem}),
    (ItemPage, {'items': LibraryItem}),
    (JobAnswer, {'error': JobErrorAnswer}),
    (JobEvent, {'data': JobEventData}),
    (JobEventData, {'job': JobAnswer}),
    (JobsAnswer, {'jobs': JobAnswer}),
    (LibraryItem, {'error': LibraryItemError, 'streams': LibraryItemStream, 'reads_on_ready': ReadsOnReady, 'made_by': LibraryItemMadeBy}),
    (ListAccountChange, {'data': AccountChange}),
    (ListAuditEntry, {'data': AuditEntry}),
    (ListDelivery, {'data': Delivery}),
    (ListJobEvent, {'data': JobEvent}),
    (ListKey, {'data': Key}),
    (ListLibraryItem, {'data': LibraryItem}),
    (ListListedProject, {'data': ListedProject}),
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
    (OperatorJob, {'job': JobAnswer}),
    (OperatorReadList, {'data': OperatorRead}),
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
    (SettingsAnswer, {'settings': WorkspaceSettings}),
    (SilenceAnswer, {'keep': KeptSpan}),
    (SkillAnswer, {'skill': Skill}),
    (SkillPage, {'skills': ListedSkill}),
    (SpeakersAnswer, {'speakers': StoredReadSpeakersData, 'speech': StoredReadSpeechData}),
    (SpeakersData, {'segments': SpeakerTurn}),
    (SpeechData, {'segments': SpeechSegment}),
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
