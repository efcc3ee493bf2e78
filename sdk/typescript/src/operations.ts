// Every operation, a class a tag. Made by sdk/generate from openapi.json: change those.

import type { Calls, Operation, Options, Pages } from "./call.js";
import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];

/** What each operation is on the wire. */
export const OPERATIONS = {
  list_tools: { name: "list_tools", method: "GET", path: "/tools", repeat: "harmless" },
  prepare_media: { name: "prepare_media", method: "POST", path: "/tools/prepare_media", repeat: "kept" },
  get_jobs: { name: "get_jobs", method: "POST", path: "/tools/get_jobs", repeat: "harmless", rows: ["data", "jobs"] },
  cancel_jobs: { name: "cancel_jobs", method: "POST", path: "/tools/cancel_jobs", repeat: "harmless" },
  get_api_session: { name: "get_api_session", method: "POST", path: "/tools/get_api_session", repeat: "refused" },
  list_items: { name: "list_items", method: "POST", path: "/tools/list_items", repeat: "harmless", rows: ["data", "items"] },
  get_item: { name: "get_item", method: "POST", path: "/tools/get_item", repeat: "harmless" },
  update_item: { name: "update_item", method: "POST", path: "/tools/update_item", repeat: "harmless" },
  import_media: { name: "import_media", method: "POST", path: "/tools/import_media", repeat: "kept" },
  delete_item: { name: "delete_item", method: "POST", path: "/tools/delete_item", repeat: "harmless" },
  transcribe_media: { name: "transcribe_media", method: "POST", path: "/tools/transcribe_media", repeat: "kept" },
  speakers: { name: "speakers", method: "POST", path: "/tools/speakers", repeat: "kept" },
  detect_beats: { name: "detect_beats", method: "POST", path: "/tools/detect_beats", repeat: "kept" },
  remove_silence: { name: "remove_silence", method: "POST", path: "/tools/remove_silence", repeat: "kept" },
  duck_music: { name: "duck_music", method: "POST", path: "/tools/duck_music", repeat: "kept" },
  search_footage: { name: "search_footage", method: "POST", path: "/tools/search_footage", repeat: "harmless" },
  create_board: { name: "create_board", method: "POST", path: "/tools/create_board", repeat: "kept" },
  list_boards: { name: "list_boards", method: "POST", path: "/tools/list_boards", repeat: "harmless", rows: ["data", "boards"] },
  get_board: { name: "get_board", method: "POST", path: "/tools/get_board", repeat: "harmless" },
  edit_board: { name: "edit_board", method: "POST", path: "/tools/edit_board", repeat: "kept" },
  undo_board: { name: "undo_board", method: "POST", path: "/tools/undo_board", repeat: "kept" },
  delete_board: { name: "delete_board", method: "POST", path: "/tools/delete_board", repeat: "harmless" },
  add_comment: { name: "add_comment", method: "POST", path: "/tools/add_comment", repeat: "kept" },
  list_comments: { name: "list_comments", method: "POST", path: "/tools/list_comments", repeat: "harmless", rows: ["data", "comments"] },
  update_comment: { name: "update_comment", method: "POST", path: "/tools/update_comment", repeat: "harmless" },
  delete_comment: { name: "delete_comment", method: "POST", path: "/tools/delete_comment", repeat: "harmless" },
  create_public_link: { name: "create_public_link", method: "POST", path: "/tools/create_public_link", repeat: "kept" },
  list_public_links: { name: "list_public_links", method: "POST", path: "/tools/list_public_links", repeat: "harmless", rows: ["data", "links"] },
  revoke_public_link: { name: "revoke_public_link", method: "POST", path: "/tools/revoke_public_link", repeat: "harmless" },
  pull_posts: { name: "pull_posts", method: "POST", path: "/tools/pull_posts", repeat: "harmless" },
  list_posts: { name: "list_posts", method: "POST", path: "/tools/list_posts", repeat: "harmless", rows: ["data", "posts"] },
  keep_post: { name: "keep_post", method: "POST", path: "/tools/keep_post", repeat: "kept" },
  delete_post: { name: "delete_post", method: "POST", path: "/tools/delete_post", repeat: "harmless" },
  get_models: { name: "get_models", method: "GET", path: "/models", repeat: "harmless" },
  list_models: { name: "list_models", method: "POST", path: "/tools/list_models", repeat: "harmless" },
  estimate_cost: { name: "estimate_cost", method: "POST", path: "/tools/estimate_cost", repeat: "harmless" },
  generate_image: { name: "generate_image", method: "POST", path: "/tools/generate_image", repeat: "kept" },
  generate_video: { name: "generate_video", method: "POST", path: "/tools/generate_video", repeat: "kept" },
  generate_audio: { name: "generate_audio", method: "POST", path: "/tools/generate_audio", repeat: "kept" },
  upscale_media: { name: "upscale_media", method: "POST", path: "/tools/upscale_media", repeat: "kept" },
  cut_out: { name: "cut_out", method: "POST", path: "/tools/cut_out", repeat: "kept" },
  dub: { name: "dub", method: "POST", path: "/tools/dub", repeat: "kept" },
  list_dubs: { name: "list_dubs", method: "POST", path: "/tools/list_dubs", repeat: "harmless", rows: ["data", "dubs"] },
  get_dub: { name: "get_dub", method: "POST", path: "/tools/get_dub", repeat: "harmless" },
  edit_dub: { name: "edit_dub", method: "POST", path: "/tools/edit_dub", repeat: "kept" },
  undo_dub: { name: "undo_dub", method: "POST", path: "/tools/undo_dub", repeat: "kept" },
  render_dub: { name: "render_dub", method: "POST", path: "/tools/render_dub", repeat: "kept" },
  delete_dub: { name: "delete_dub", method: "POST", path: "/tools/delete_dub", repeat: "harmless" },
  read_overview: { name: "read_overview", method: "GET", path: "/overview", repeat: "harmless" },
  get_overview: { name: "get_overview", method: "POST", path: "/tools/get_overview", repeat: "harmless" },
  get_brand_kit: { name: "get_brand_kit", method: "POST", path: "/tools/get_brand_kit", repeat: "harmless" },
  update_brand_kit: { name: "update_brand_kit", method: "POST", path: "/tools/update_brand_kit", repeat: "kept" },
  undo_brand_kit: { name: "undo_brand_kit", method: "POST", path: "/tools/undo_brand_kit", repeat: "kept" },
  add_calendar_entry: { name: "add_calendar_entry", method: "POST", path: "/tools/add_calendar_entry", repeat: "kept" },
  list_calendar: { name: "list_calendar", method: "POST", path: "/tools/list_calendar", repeat: "harmless", rows: ["data", "entries"] },
  update_calendar_entry: { name: "update_calendar_entry", method: "POST", path: "/tools/update_calendar_entry", repeat: "harmless" },
  delete_calendar_entry: { name: "delete_calendar_entry", method: "POST", path: "/tools/delete_calendar_entry", repeat: "harmless" },
  create_calendar_feed: { name: "create_calendar_feed", method: "POST", path: "/tools/create_calendar_feed", repeat: "kept" },
  list_calendar_feeds: { name: "list_calendar_feeds", method: "POST", path: "/tools/list_calendar_feeds", repeat: "harmless" },
  revoke_calendar_feed: { name: "revoke_calendar_feed", method: "POST", path: "/tools/revoke_calendar_feed", repeat: "harmless" },
  get_settings: { name: "get_settings", method: "POST", path: "/tools/get_settings", repeat: "harmless" },
  update_settings: { name: "update_settings", method: "POST", path: "/tools/update_settings", repeat: "kept" },
  undo_settings: { name: "undo_settings", method: "POST", path: "/tools/undo_settings", repeat: "kept" },
  save_skill: { name: "save_skill", method: "POST", path: "/tools/save_skill", repeat: "kept" },
  list_skills: { name: "list_skills", method: "POST", path: "/tools/list_skills", repeat: "harmless", rows: ["data", "skills"] },
  get_skill: { name: "get_skill", method: "POST", path: "/tools/get_skill", repeat: "harmless" },
  undo_skill: { name: "undo_skill", method: "POST", path: "/tools/undo_skill", repeat: "kept" },
  delete_skill: { name: "delete_skill", method: "POST", path: "/tools/delete_skill", repeat: "harmless" },
  save_template: { name: "save_template", method: "POST", path: "/tools/save_template", repeat: "kept" },
  list_templates: { name: "list_templates", method: "POST", path: "/tools/list_templates", repeat: "harmless", rows: ["data", "templates"] },
  run_template: { name: "run_template", method: "POST", path: "/tools/run_template", repeat: "kept" },
  undo_template: { name: "undo_template", method: "POST", path: "/tools/undo_template", repeat: "kept" },
  delete_template: { name: "delete_template", method: "POST", path: "/tools/delete_template", repeat: "harmless" },
  create_timeline: { name: "create_timeline", method: "POST", path: "/tools/create_timeline", repeat: "kept" },
  list_timelines: { name: "list_timelines", method: "POST", path: "/tools/list_timelines", repeat: "harmless", rows: ["data", "timelines"] },
  get_timeline: { name: "get_timeline", method: "POST", path: "/tools/get_timeline", repeat: "harmless" },
  edit_timeline: { name: "edit_timeline", method: "POST", path: "/tools/edit_timeline", repeat: "kept" },
  undo_timeline: { name: "undo_timeline", method: "POST", path: "/tools/undo_timeline", repeat: "kept" },
  delete_timeline: { name: "delete_timeline", method: "POST", path: "/tools/delete_timeline", repeat: "harmless" },
  render_timeline: { name: "render_timeline", method: "POST", path: "/tools/render_timeline", repeat: "kept" },
  export_timeline: { name: "export_timeline", method: "POST", path: "/tools/export_timeline", repeat: "harmless" },
  import_timeline: { name: "import_timeline", method: "POST", path: "/tools/import_timeline", repeat: "kept" },
  create_canvas: { name: "create_canvas", method: "POST", path: "/tools/create_canvas", repeat: "kept" },
  list_canvases: { name: "list_canvases", method: "POST", path: "/tools/list_canvases", repeat: "harmless", rows: ["data", "canvases"] },
  get_canvas: { name: "get_canvas", method: "POST", path: "/tools/get_canvas", repeat: "harmless" },
  edit_canvas: { name: "edit_canvas", method: "POST", path: "/tools/edit_canvas", repeat: "kept" },
  undo_canvas: { name: "undo_canvas", method: "POST", path: "/tools/undo_canvas", repeat: "kept" },
  delete_canvas: { name: "delete_canvas", method: "POST", path: "/tools/delete_canvas", repeat: "harmless" },
  render_canvas: { name: "render_canvas", method: "POST", path: "/tools/render_canvas", repeat: "kept" },
  list_workspaces: { name: "list_workspaces", method: "GET", path: "/workspaces", repeat: "harmless", rows: ["data"] },
  create_workspace: { name: "create_workspace", method: "POST", path: "/workspaces", repeat: "kept" },
  update_workspace: { name: "update_workspace", method: "PATCH", path: "/workspaces/{id}", repeat: "harmless" },
  list_members: { name: "list_members", method: "GET", path: "/workspaces/{id}/members", repeat: "harmless", rows: ["data"] },
  put_member: { name: "put_member", method: "PUT", path: "/workspaces/{id}/members/{userId}", repeat: "harmless" },
  delete_member: { name: "delete_member", method: "DELETE", path: "/workspaces/{id}/members/{userId}", repeat: "harmless" },
  read_balances: { name: "read_balances", method: "GET", path: "/balances", repeat: "harmless" },
  get_balances: { name: "get_balances", method: "POST", path: "/tools/get_balances", repeat: "harmless" },
  create_key: { name: "create_key", method: "POST", path: "/keys", repeat: "kept" },
  list_keys: { name: "list_keys", method: "GET", path: "/keys", repeat: "harmless", rows: ["data"] },
  get_key: { name: "get_key", method: "GET", path: "/keys/{keyId}", repeat: "harmless" },
  revoke_key: { name: "revoke_key", method: "DELETE", path: "/keys/{keyId}", repeat: "harmless" },
  list_audit: { name: "list_audit", method: "GET", path: "/audit", repeat: "harmless", rows: ["data"] },
  redeem_session: { name: "redeem_session", method: "POST", path: "/sessions/redeem", repeat: "harmless" },
  create_upload: { name: "create_upload", method: "POST", path: "/uploads", repeat: "kept" },
  get_upload: { name: "get_upload", method: "GET", path: "/uploads/{id}", repeat: "harmless" },
  complete_upload: { name: "complete_upload", method: "POST", path: "/uploads/{id}/complete", repeat: "harmless" },
  list_library_items: { name: "list_library_items", method: "GET", path: "/library/items", repeat: "harmless", rows: ["data"] },
  get_library_item: { name: "get_library_item", method: "GET", path: "/library/items/{id}", repeat: "harmless" },
  update_library_item: { name: "update_library_item", method: "PATCH", path: "/library/items/{id}", repeat: "harmless" },
  delete_library_item: { name: "delete_library_item", method: "DELETE", path: "/library/items/{id}", repeat: "harmless" },
  get_stored_read: { name: "get_stored_read", method: "GET", path: "/library/items/{id}/reads/{read}", repeat: "harmless", texts: true },
  lease_library_item: { name: "lease_library_item", method: "POST", path: "/library/items/{id}/lease", repeat: "harmless" },
  end_library_item_lease: { name: "end_library_item_lease", method: "DELETE", path: "/library/items/{id}/lease", repeat: "harmless" },
  create_webhook: { name: "create_webhook", method: "POST", path: "/webhooks", repeat: "kept" },
  list_webhooks: { name: "list_webhooks", method: "GET", path: "/webhooks", repeat: "harmless", rows: ["data"] },
  get_webhook: { name: "get_webhook", method: "GET", path: "/webhooks/{id}", repeat: "harmless" },
  update_webhook: { name: "update_webhook", method: "PATCH", path: "/webhooks/{id}", repeat: "harmless" },
  delete_webhook: { name: "delete_webhook", method: "DELETE", path: "/webhooks/{id}", repeat: "harmless" },
  list_deliveries: { name: "list_deliveries", method: "GET", path: "/webhooks/{id}/deliveries", repeat: "harmless", rows: ["data"] },
  resend_delivery: { name: "resend_delivery", method: "POST", path: "/webhooks/{id}/deliveries", repeat: "refused" },
  get_delivery: { name: "get_delivery", method: "GET", path: "/webhooks/{id}/deliveries/{delivery_id}", repeat: "harmless" },
  get_webhook_secret: { name: "get_webhook_secret", method: "GET", path: "/webhook-secret", repeat: "harmless" },
  create_webhook_secret: { name: "create_webhook_secret", method: "POST", path: "/webhook-secret", repeat: "harmless" },
  delete_webhook_secret: { name: "delete_webhook_secret", method: "DELETE", path: "/webhook-secret", repeat: "harmless" },
  create_project: { name: "create_project", method: "POST", path: "/projects", repeat: "kept" },
  list_projects: { name: "list_projects", method: "GET", path: "/projects", repeat: "harmless", rows: ["data"] },
  get_project: { name: "get_project", method: "GET", path: "/projects/{id}", repeat: "harmless" },
  delete_project: { name: "delete_project", method: "DELETE", path: "/projects/{id}", repeat: "harmless" },
  update_project_settings: { name: "update_project_settings", method: "PATCH", path: "/projects/{id}/settings", repeat: "harmless" },
  change_project_status: { name: "change_project_status", method: "POST", path: "/projects/{id}/status", repeat: "harmless" },
  cancel_project: { name: "cancel_project", method: "POST", path: "/projects/{id}/cancel", repeat: "harmless" },
  list_project_deliveries: { name: "list_project_deliveries", method: "GET", path: "/projects/{id}/deliveries", repeat: "harmless", rows: ["data"] },
  say_to_project: { name: "say_to_project", method: "POST", path: "/projects/{id}/messages", repeat: "kept" },
  list_project_steps: { name: "list_project_steps", method: "GET", path: "/projects/{id}/log", repeat: "harmless", rows: ["data"] },
  list_events: { name: "list_events", method: "GET", path: "/events", repeat: "harmless", rows: ["data"] },
  get_event: { name: "get_event", method: "GET", path: "/events/{id}", repeat: "harmless" },
  operator_create_account: { name: "operator_create_account", method: "POST", path: "/operator/accounts", repeat: "refused" },
  operator_list_accounts: { name: "operator_list_accounts", method: "GET", path: "/operator/accounts", repeat: "harmless", rows: ["data"] },
  operator_get_account: { name: "operator_get_account", method: "GET", path: "/operator/accounts/{id}", repeat: "harmless" },
  operator_update_account: { name: "operator_update_account", method: "PATCH", path: "/operator/accounts/{id}", repeat: "harmless" },
  operator_forgive_processor_time: { name: "operator_forgive_processor_time", method: "DELETE", path: "/operator/accounts/{id}/unpaid-processor-time", repeat: "harmless" },
  operator_suspend_account: { name: "operator_suspend_account", method: "POST", path: "/operator/accounts/{id}/suspend", repeat: "harmless" },
  operator_resume_account: { name: "operator_resume_account", method: "POST", path: "/operator/accounts/{id}/resume", repeat: "harmless" },
  operator_list_keys: { name: "operator_list_keys", method: "GET", path: "/operator/keys", repeat: "harmless", rows: ["data"] },
  operator_create_key: { name: "operator_create_key", method: "POST", path: "/operator/accounts/{id}/keys", repeat: "refused" },
  operator_revoke_key: { name: "operator_revoke_key", method: "DELETE", path: "/operator/keys/{id}", repeat: "harmless" },
  operator_erase_account: { name: "operator_erase_account", method: "POST", path: "/operator/accounts/{id}/erase", repeat: "harmless" },
  operator_erase_workspace: { name: "operator_erase_workspace", method: "POST", path: "/operator/workspaces/{id}/erase", repeat: "harmless" },
  operator_erase_item: { name: "operator_erase_item", method: "POST", path: "/operator/items/{id}/erase", repeat: "harmless" },
  operator_create_user: { name: "operator_create_user", method: "POST", path: "/operator/users", repeat: "refused" },
  operator_list_users: { name: "operator_list_users", method: "GET", path: "/operator/users", repeat: "harmless", rows: ["data"] },
  operator_update_user: { name: "operator_update_user", method: "PATCH", path: "/operator/users/{id}", repeat: "harmless" },
  operator_create_workspace: { name: "operator_create_workspace", method: "POST", path: "/operator/workspaces", repeat: "refused" },
  operator_list_workspaces: { name: "operator_list_workspaces", method: "GET", path: "/operator/workspaces", repeat: "harmless", rows: ["data"] },
  operator_update_workspace: { name: "operator_update_workspace", method: "PATCH", path: "/operator/workspaces/{id}", repeat: "harmless" },
  operator_put_member: { name: "operator_put_member", method: "POST", path: "/operator/members", repeat: "harmless" },
  operator_list_members: { name: "operator_list_members", method: "GET", path: "/operator/members", repeat: "harmless", rows: ["data"] },
  operator_delete_member: { name: "operator_delete_member", method: "DELETE", path: "/operator/members/{workspaceId}/{userId}", repeat: "harmless" },
  operator_give_minutes: { name: "operator_give_minutes", method: "POST", path: "/operator/accounts/{id}/minutes", repeat: "refused" },
  operator_give_credits: { name: "operator_give_credits", method: "POST", path: "/operator/accounts/{id}/credits", repeat: "refused" },
  operator_list_reads: { name: "operator_list_reads", method: "GET", path: "/operator/reads", repeat: "harmless" },
  operator_update_read: { name: "operator_update_read", method: "PATCH", path: "/operator/reads/{read}", repeat: "harmless" },
  operator_list_jobs: { name: "operator_list_jobs", method: "GET", path: "/operator/jobs", repeat: "harmless", rows: ["data"] },
  operator_get_job: { name: "operator_get_job", method: "GET", path: "/operator/jobs/{id}", repeat: "harmless" },
  operator_cancel_job: { name: "operator_cancel_job", method: "POST", path: "/operator/jobs/{id}/cancel", repeat: "harmless" },
  operator_retry_job: { name: "operator_retry_job", method: "POST", path: "/operator/jobs/{id}/retry", repeat: "harmless" },
  operator_list_deliveries: { name: "operator_list_deliveries", method: "GET", path: "/operator/deliveries", repeat: "harmless", rows: ["data"] },
  operator_get_delivery: { name: "operator_get_delivery", method: "GET", path: "/operator/deliveries/{id}", repeat: "harmless" },
  operator_resend_deliveries: { name: "operator_resend_deliveries", method: "POST", path: "/operator/deliveries/resend", repeat: "harmless" },
  operator_resend_delivery: { name: "operator_resend_delivery", method: "POST", path: "/operator/deliveries/{id}/resend", repeat: "refused" },
  operator_list_webhooks: { name: "operator_list_webhooks", method: "GET", path: "/operator/webhooks", repeat: "harmless", rows: ["data"] },
  operator_update_webhook: { name: "operator_update_webhook", method: "PATCH", path: "/operator/webhooks/{id}", repeat: "harmless" },
  operator_start_bulk_operation: { name: "operator_start_bulk_operation", method: "POST", path: "/operator/bulk-operations", repeat: "harmless" },
  operator_list_bulk_operations: { name: "operator_list_bulk_operations", method: "GET", path: "/operator/bulk-operations", repeat: "harmless", rows: ["data"] },
  operator_count_failed_reads: { name: "operator_count_failed_reads", method: "GET", path: "/operator/failed-reads", repeat: "harmless" },
  operator_get_bulk_operation: { name: "operator_get_bulk_operation", method: "GET", path: "/operator/bulk-operations/{id}", repeat: "harmless" },
  operator_stop_bulk_operation: { name: "operator_stop_bulk_operation", method: "POST", path: "/operator/bulk-operations/{id}/stop", repeat: "harmless" },
  operator_list_audit: { name: "operator_list_audit", method: "GET", path: "/operator/audit", repeat: "harmless", rows: ["data"] },
  operator_get_report: { name: "operator_get_report", method: "GET", path: "/operator/report", repeat: "harmless" },
  operator_list_errors: { name: "operator_list_errors", method: "GET", path: "/operator/errors", repeat: "harmless" },
  operator_get_retention: { name: "operator_get_retention", method: "GET", path: "/operator/retention", repeat: "harmless" },
  operator_get_statement: { name: "operator_get_statement", method: "GET", path: "/operator/accounts/{id}/statement", repeat: "harmless", rows: ["data"] },
  operator_create_console_link: { name: "operator_create_console_link", method: "POST", path: "/operator/console-links", repeat: "refused" },
  operator_create_portal_session: { name: "operator_create_portal_session", method: "POST", path: "/operator/accounts/{id}/portal-sessions", repeat: "refused" },
  create_portal_session: { name: "create_portal_session", method: "POST", path: "/portal-sessions", repeat: "refused" },
  get_statement: { name: "get_statement", method: "GET", path: "/statement", repeat: "harmless", rows: ["data"] },
} as const satisfies Record<string, Operation>;

/** The operations of `discovery`. */
export class Discovery {
  constructor(private readonly calls: Calls) {}

  /** Every tool with its description and the schema of its body. */
  listTools(options: Options = {}): Promise<Schemas["ToolList"]> {
    return this.calls.call(OPERATIONS.list_tools, { options });
  }
}

/** The operations of `library`. */
export class Library {
  constructor(private readonly calls: Calls) {}

  /** Starts several reads on up to 20 library items in one call, each as its own job (contract §4.2). A stored read is
   * `ready`, and one that a job computes already is `queued` with that job; the others start, or say why not. A
   * repeated call starts nothing twice. Follow the jobs with `get_jobs`. Runs in the cloud: the estimate is held
   * until each job ends, and a job is never charged more than was held for it. With `dry_run: true` nothing is
   * started: reads that would start are `startable`, with their price. */
  prepareMedia(body: Schemas["PrepareMediaRequest"], options: Options = {}): Promise<Schemas["ToolAnswer_PreparedMedia"]> {
    return this.calls.call(OPERATIONS.prepare_media, { body, options });
  }

  /** Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters a
   * page may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by
   * more (`has_more`). A cursor is valid for one `sort` only. */
  listItems(body: Schemas["ListItems"] = {}, options: Options = {}): Pages<Schemas["LibraryItem"]> {
    return this.calls.pages(OPERATIONS.list_items, { body, options });
  }

  /** Returns its status, its type, the reads stored on it and, once it is ready, a link to its media. `wait_seconds`
   * makes it a long poll: after an upload or an import, call again until it is `ready` or `failed`. */
  getItem(body: Schemas["GetItem"], options: Options = {}): Promise<Schemas["ToolAnswer_ItemAnswer"]> {
    return this.calls.call(OPERATIONS.get_item, { body, options });
  }

  /** Changes its name, its ref (`new_ref`) or its tags. Absent fields keep their values. */
  updateItem(body: Schemas["UpdateItemArguments"], options: Options = {}): Promise<Schemas["ToolAnswer_ItemAnswer"]> {
    return this.calls.call(OPERATIONS.update_item, { body, options });
  }

  /** Starts the fetch and returns the item in `processing`; `get_item` says when it is `ready` or `failed`. */
  importMedia(body: Schemas["ImportMedia"], options: Options = {}): Promise<Schemas["ToolAnswer_ItemAnswer"]> {
    return this.calls.call(OPERATIONS.import_media, { body, options });
  }

  /** Cancels its queued jobs, asks its running ones to stop, and frees the ref. */
  deleteItem(body: Schemas["OneItem"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedItem"]> {
    return this.calls.call(OPERATIONS.delete_item, { body, options });
  }

  /** Returns the text that is spoken in an item, in segments and words with their times. A stored transcript is
   * returned at no charge. If there is none, its job is started, or joined if it is live already: the answer is
   * `queued` with its `job_id`; follow that with `get_jobs` and call again. Needs audio. A `quality` of `draft`
   * means that a person should check it. With `format` it is returned as plain text, or as captions: cues of at
   * most two lines of 42 characters and 7 s. */
  transcribeMedia(body: Schemas["TranscribeMedia"], options: Options = {}): Promise<Schemas["ToolAnswer_TranscriptAnswer"]> {
    return this.calls.call(OPERATIONS.transcribe_media, { body, options });
  }

  /** Returns who speaks when in an item, and the speech read that this builds on. A stored read is returned at no
   * charge. If there is none, its job is started, or joined if it is live already: the answer is `queued` with
   * its `job_id`; follow that with `get_jobs` and call again. Needs audio. Speakers are named `A`, `B`, … within
   * one item. */
  speakers(body: Schemas["ReadOneItem"], options: Options = {}): Promise<Schemas["ToolAnswer_SpeakersAnswer"]> {
    return this.calls.call(OPERATIONS.speakers, { body, options });
  }

  /** Returns the beats of an item, those that begin a bar, and its tempo. A stored read is returned at no charge. If
   * there is none, its job is started, or joined if it is live already: the answer is `queued` with its `job_id`;
   * follow that with `get_jobs` and call again. Needs at least two seconds of audio. */
  detectBeats(body: Schemas["ReadOneItem"], options: Options = {}): Promise<Schemas["ToolAnswer_BeatsAnswer"]> {
    return this.calls.call(OPERATIONS.detect_beats, { body, options });
  }

  /** Computes which parts of an item to keep so that its long silences are removed, from its speech. A silence shorter
   * than `min_silence_ms` stays, and so do `padding_ms` on each side of speech; values that the call does not
   * give come from the workspace's settings. Cuts in a video are on its frames. If nobody speaks, nothing is
   * kept. With `render: true` a job makes a new item of what is kept; while its item exists, the same render is
   * not made again. A stored speech read is used at no charge; if there is none, its job is started or joined,
   * and the answer is `queued` without `keep`: follow `job_id` with `get_jobs` and call again. */
  removeSilence(body: Schemas["RemoveSilence"], options: Options = {}): Promise<Schemas["ToolAnswer_SilenceAnswer"]> {
    return this.calls.call(OPERATIONS.remove_silence, { body, options });
  }

  /** Computes how far to turn music down while a voice speaks over it: an envelope of gains, linear in decibels between
   * its points. Under speech the music is down by `duck_db`; the fall ends when speech starts, the rise starts
   * when it ends, and elsewhere the gain is 0. With `render: true` a job mixes both into a new item: as long as
   * the voice, with its picture if it has one, and limited so that it never clips. A stored speech read of the
   * voice is used at no charge; if there is none, its job is started or joined, and the answer is `queued`
   * without `envelope`: follow `job_id` with `get_jobs` and call again. */
  duckMusic(body: Schemas["DuckMusic"], options: Options = {}): Promise<Schemas["ToolAnswer_DuckAnswer"]> {
    return this.calls.call(OPERATIONS.duck_music, { body, options });
  }

  /** Finds words that are spoken in videos and recordings, by their stored transcripts, and words that are written in
   * the pictures of videos, by their stored search indexes, at no charge; `source` says which. A match of spoken
   * words has their time range, narrowed to the phrase; one of written words, the time for which they are shown.
   * If the video's search index is stored, it also has the moment (shot) that it begins in, and a still of it. A
   * score of 1 is the exact phrase; from 0.5 on all words are there; below that words are similar, which
   * tolerates typing and transcription errors in queries of up to 16 words. English words are found in all their
   * forms. No match is an empty list; items that could not be searched are named. */
  searchFootage(body: Schemas["FootageSearch"], options: Options = {}): Promise<Schemas["ToolAnswer_FootageMatches"]> {
    return this.calls.call(OPERATIONS.search_footage, { body, options });
  }

  /** Creates a board whose columns of cards plan the work on items. It begins without columns: `edit_board` adds them.
   * A workspace has at most 200 boards. */
  createBoard(body: Schemas["CreateBoard"], options: Options = {}): Promise<Schemas["ToolAnswer_BoardAnswer"]> {
    return this.calls.call(OPERATIONS.create_board, { body, options });
  }

  /** Newest first, without their cards. */
  listBoards(body: Schemas["ListBoards"] = {}, options: Options = {}): Pages<Schemas["ListedBoard"]> {
    return this.calls.pages(OPERATIONS.list_boards, { body, options });
  }

  /** With its columns and cards. A card whose item is deleted says so. */
  getBoard(body: Schemas["OneBoard"], options: Options = {}): Promise<Schemas["ToolAnswer_BoardAnswer"]> {
    return this.calls.call(OPERATIONS.get_board, { body, options });
  }

  /** Changes its name, its columns or its cards: `ops` are applied in order, all of them or none, and a refusal names
   * the one that can't be applied. The last 50 changes can be undone with `undo_board`. */
  editBoard(body: Schemas["EditBoard"], options: Options = {}): Promise<Schemas["ToolAnswer_BoardAnswer"]> {
    return this.calls.call(OPERATIONS.edit_board, { body, options });
  }

  /** Restores what the board was before its latest change, as a new revision. Repeat it to undo the change before. */
  undoBoard(body: Schemas["UndoBoard"], options: Options = {}): Promise<Schemas["ToolAnswer_BoardAnswer"]> {
    return this.calls.call(OPERATIONS.undo_board, { body, options });
  }

  /** Its history is deleted too. The items that its cards are about stay. */
  deleteBoard(body: Schemas["OneBoard"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedBoard"]> {
    return this.calls.call(OPERATIONS.delete_board, { body, options });
  }

  /** A comment is about the whole, a time, or a stretch, and may be about a part of the picture. Each item and each
   * timeline has at most 10,000 comments, which are deleted with it. A comment on a timeline keeps its time when
   * scenes before it change. */
  addComment(body: Schemas["AddComment"], options: Options = {}): Promise<Schemas["ToolAnswer_CommentAnswer"]> {
    return this.calls.call(OPERATIONS.add_comment, { body, options });
  }

  /** Newest first, including replies. */
  listComments(body: Schemas["ListComments"], options: Options = {}): Pages<Schemas["Comment"]> {
    return this.calls.pages(OPERATIONS.list_comments, { body, options });
  }

  /** Changes its text, which only its author may do, or whether it is resolved. Absent fields keep their values. */
  updateComment(body: Schemas["UpdateComment"], options: Options = {}): Promise<Schemas["ToolAnswer_CommentAnswer"]> {
    return this.calls.call(OPERATIONS.update_comment, { body, options });
  }

  /** The replies to it are deleted too. */
  deleteComment(body: Schemas["OneComment"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedComment"]> {
    return this.calls.call(OPERATIONS.delete_comment, { body, options });
  }

  /** Makes a page that shows one item to whoever has its URL, until the link expires or is revoked, or the item is
   * deleted: the media, its waveform and its transcript if those reads are stored, and its comments if `rights`
   * allows them. The link works no longer than its maker could: it ends with their key, or their membership of
   * the workspace. A script session's token can't make links. */
  createPublicLink(body: Schemas["CreatePublicLink"], options: Options = {}): Promise<Schemas["ToolAnswer_CreatedPublicLink"]> {
    return this.calls.call(OPERATIONS.create_public_link, { body, options });
  }

  /** The workspace's links, newest first, without their URLs. Links that ended are kept as long as ended jobs. */
  listPublicLinks(body: Schemas["ListPublicLinks"] = {}, options: Options = {}): Pages<Schemas["PublicLink"]> {
    return this.calls.pages(OPERATIONS.list_public_links, { body, options });
  }

  /** It stops working at once, also for those who have its page open. */
  revokePublicLink(body: Schemas["RevokePublicLink"], options: Options = {}): Promise<Schemas["ToolAnswer_PublicLinkAnswer"]> {
    return this.calls.call(OPERATIONS.revoke_public_link, { body, options });
  }

  /** Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters a
   * page may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by
   * more (`has_more`). A cursor is valid for one `sort` only. */
  listLibraryItems(query: NonNullable<operations["list_library_items"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["LibraryItem"]> {
    return this.calls.pages(OPERATIONS.list_library_items, { query, options });
  }

  /** Finds it by its id, its ref, or the id of the job that made it (contract §2, "Library item"). */
  getLibraryItem(id: string, query: NonNullable<operations["get_library_item"]["parameters"]["query"]> = {}, options: Options = {}): Promise<Schemas["LibraryItem"]> {
    return this.calls.call(OPERATIONS.get_library_item, { path: { id: id }, query, options });
  }

  /** Changes its name, its ref or its tags. Absent fields keep their values. */
  updateLibraryItem(id: string, body: Schemas["UpdateItem"] = {}, options: Options = {}): Promise<Schemas["LibraryItem"]> {
    return this.calls.call(OPERATIONS.update_library_item, { path: { id: id }, body, options });
  }

  /** Cancels its queued jobs, asks its running ones to stop, and frees the ref. The bytes are deleted once no job reads
   * them. */
  deleteLibraryItem(id: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.delete_library_item, { path: { id: id }, options });
  }

  /** Returns the read that a job stored on the item, at no charge. A transcript is also returned as text: `format=txt`,
   * or as captions: `format=srt` and `format=vtt`, in cues of at most two lines of 42 characters and 7 s that
   * never overlap, with the speakers' names where those are stored. */
  getStoredRead(id: string, read: string, query: NonNullable<operations["get_stored_read"]["parameters"]["query"]> = {}, options: Options = {}): Promise<unknown> {
    return this.calls.call(OPERATIONS.get_stored_read, { path: { id: id, read: read }, query, options });
  }

  /** For a computer that reads the item itself: until the lease ends, `prepare_media` answers `held` with the reason
   * `reading_on_computer`. */
  leaseLibraryItem(id: string, body: Schemas["TakeLease"], options: Options = {}): Promise<Schemas["Lease"]> {
    return this.calls.call(OPERATIONS.lease_library_item, { path: { id: id }, body, options });
  }

  /** Stop holding an item's reads back */
  endLibraryItemLease(id: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.end_library_item_lease, { path: { id: id }, options });
  }
}

/** The operations of `workspace`. */
export class Workspace {
  constructor(private readonly calls: Calls) {}

  /** Returns the jobs named by `job_ids` (up to 200: one `prepare_media` can start 120), or the workspace's jobs that
   * match the filters, newest first. `wait_seconds` makes it a long poll: to follow jobs, call again with the
   * same `job_ids` and `wait_for: "all"` until none is `queued` or `running`. A finished job reports
   * `cloud_minutes`. */
  getJobs(body: Schemas["GetJobsRequest"] = {}, options: Options = {}): Pages<Schemas["JobAnswer"]> {
    return this.calls.pages(OPERATIONS.get_jobs, { body, options });
  }

  /** A queued job is cancelled at once and its hold freed; a running one is asked to stop and ends as `cancelled`
   * within seconds, charged nothing. One that has already ended does not change. Events of stopped jobs are sent
   * at the account's request rate; while more of them wait than one burst allows, no jobs are started. */
  cancelJobs(body: Schemas["CancelJobsRequest"], options: Options = {}): Promise<Schemas["ToolAnswer_CancelJobsAnswer"]> {
    return this.calls.call(OPERATIONS.cancel_jobs, { body, options });
  }

  /** What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble. */
  readOverview(options: Options = {}): Promise<Schemas["OverviewAnswer"]> {
    return this.calls.call(OPERATIONS.read_overview, { options });
  }

  /** What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble. */
  getOverview(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_OverviewAnswer"]> {
    return this.calls.call(OPERATIONS.get_overview, { body, options });
  }

  /** The workspace's named colours, fonts and logos, its tone of voice, and its caption style. `families` are the font
   * families that a font may have. */
  getBrandKit(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_BrandKitAnswer"]> {
    return this.calls.call(OPERATIONS.get_brand_kit, { body, options });
  }

  /** Makes all the changes or none. Whatever uses an entry of the kit by name uses its current value: the pages of
   * public links show its first colour. The last 50 changes can be undone with `undo_brand_kit`. */
  updateBrandKit(body: Schemas["UpdateBrandKit"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_BrandKitAnswer"]> {
    return this.calls.call(OPERATIONS.update_brand_kit, { body, options });
  }

  /** Restores what the kit was before its latest change, as a new revision. Repeat it to undo the change before. The
   * first change is not undone: null, or an empty list, removes what it set. */
  undoBrandKit(body: Schemas["UndoBrandKit"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_BrandKitAnswer"]> {
    return this.calls.call(OPERATIONS.undo_brand_kit, { body, options });
  }

  /** Adds an entry: what is planned, when, and which items it is about. The calendar only plans; it publishes nothing,
   * and nothing happens when the time comes. A workspace has at most 5,000 entries. */
  addCalendarEntry(body: Schemas["AddCalendarEntry"], options: Options = {}): Promise<Schemas["ToolAnswer_CalendarEntryAnswer"]> {
    return this.calls.call(OPERATIONS.add_calendar_entry, { body, options });
  }

  /** Lists what is planned between two times, earliest first, with entries that began earlier and still go on. */
  listCalendar(body: Schemas["ListCalendar"] = {}, options: Options = {}): Pages<Schemas["CalendarEntry"]> {
    return this.calls.pages(OPERATIONS.list_calendar, { body, options });
  }

  /** Changes the fields that are given; absent ones keep their values. `refs` replaces all of the entry's items. */
  updateCalendarEntry(body: Schemas["UpdateCalendarEntry"], options: Options = {}): Promise<Schemas["ToolAnswer_CalendarEntryAnswer"]> {
    return this.calls.call(OPERATIONS.update_calendar_entry, { body, options });
  }

  /** The items that it is about stay. */
  deleteCalendarEntry(body: Schemas["DeleteCalendarEntry"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedCalendarEntry"]> {
    return this.calls.call(OPERATIONS.delete_calendar_entry, { body, options });
  }

  /** A secret URL by which calendar programs show the workspace's calendar (iCalendar, RFC 5545): the entries of the
   * last 90 days and those to come, 1,000 at most. Whoever has it reads them until it is revoked. A workspace has
   * at most 20. */
  createCalendarFeed(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_CreatedCalendarFeed"]> {
    return this.calls.call(OPERATIONS.create_calendar_feed, { body, options });
  }

  /** The feeds that work, newest first, without their URLs. */
  listCalendarFeeds(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_CalendarFeedList"]> {
    return this.calls.call(OPERATIONS.list_calendar_feeds, { body, options });
  }

  /** Its URL stops working at once. Programs keep what they have already read. */
  revokeCalendarFeed(body: Schemas["RevokeCalendarFeed"], options: Options = {}): Promise<Schemas["ToolAnswer_RevokedCalendarFeed"]> {
    return this.calls.call(OPERATIONS.revoke_calendar_feed, { body, options });
  }

  /** The defaults of its tools, for calls that don't say otherwise. */
  getSettings(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_SettingsAnswer"]> {
    return this.calls.call(OPERATIONS.get_settings, { body, options });
  }

  /** They apply from the next call on; a call may still say otherwise. `reads_on_import` start as if the uploader had
   * requested them, and cost the same. The last 50 changes can be undone with `undo_settings`. */
  updateSettings(body: Schemas["UpdateSettings"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_SettingsAnswer"]> {
    return this.calls.call(OPERATIONS.update_settings, { body, options });
  }

  /** Restores what the settings were before their latest change, as a new revision. Repeat it to undo the change
   * before. The first change is not undone: null, or an empty list, restores the service's default. */
  undoSettings(body: Schemas["UndoSettings"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_SettingsAnswer"]> {
    return this.calls.call(OPERATIONS.undo_settings, { body, options });
  }

  /** Saves instructions for whoever works in the workspace: agents list skills and read those that fit. A skill of the
   * same name is replaced; the last 50 changes can be undone with `undo_skill`. Over MCP skills are prompts too.
   * A workspace has at most 200. */
  saveSkill(body: Schemas["SaveSkill"], options: Options = {}): Promise<Schemas["ToolAnswer_SkillAnswer"]> {
    return this.calls.call(OPERATIONS.save_skill, { body, options });
  }

  /** Newest first, without their text. */
  listSkills(body: Schemas["ListSkills"] = {}, options: Options = {}): Pages<Schemas["ListedSkill"]> {
    return this.calls.pages(OPERATIONS.list_skills, { body, options });
  }

  /** With its text, as Markdown. */
  getSkill(body: Schemas["OneSkill"], options: Options = {}): Promise<Schemas["ToolAnswer_SkillAnswer"]> {
    return this.calls.call(OPERATIONS.get_skill, { body, options });
  }

  /** Restores what the skill was before its latest change, as a new revision. Repeat it to undo the change before. A
   * first save is not undone: `delete_skill` deletes the skill. */
  undoSkill(body: Schemas["UndoSkill"], options: Options = {}): Promise<Schemas["ToolAnswer_SkillAnswer"]> {
    return this.calls.call(OPERATIONS.undo_skill, { body, options });
  }

  /** Its history is deleted too, and its name becomes free. */
  deleteSkill(body: Schemas["OneSkill"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedSkill"]> {
    return this.calls.call(OPERATIONS.delete_skill, { body, options });
  }

  /** Saves a tool's arguments under a name, to run again and again. They are checked against the tool's schema;
   * required arguments may be left to the run. A template of the same name is replaced; the last 50 changes can
   * be undone with `undo_template`. A workspace has at most 200. */
  saveTemplate(body: Schemas["SaveTemplate"], options: Options = {}): Promise<Schemas["ToolAnswer_TemplateAnswer"]> {
    return this.calls.call(OPERATIONS.save_template, { body, options });
  }

  /** Newest first, without their arguments. */
  listTemplates(body: Schemas["ListTemplates"] = {}, options: Options = {}): Pages<Schemas["ListedTemplate"]> {
    return this.calls.pages(OPERATIONS.list_templates, { body, options });
  }

  /** Calls the template's tool with its arguments, some replaced by `overrides`, and returns the tool's answer. It is a
   * call of that tool: who may make it, its price, its refusals and its Idempotency-Key are the tool's. */
  runTemplate(body: Schemas["RunTemplate"], options: Options = {}): Promise<Schemas["ToolAnswer_fields"]> {
    return this.calls.call(OPERATIONS.run_template, { body, options });
  }

  /** Restores what the template was before its latest change, as a new revision. Repeat it to undo the change before. A
   * first save is not undone: `delete_template` deletes the template. */
  undoTemplate(body: Schemas["UndoTemplate"], options: Options = {}): Promise<Schemas["ToolAnswer_TemplateAnswer"]> {
    return this.calls.call(OPERATIONS.undo_template, { body, options });
  }

  /** Its history is deleted too, and its name becomes free. */
  deleteTemplate(body: Schemas["OneTemplate"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedTemplate"]> {
    return this.calls.call(OPERATIONS.delete_template, { body, options });
  }

  /** Creates it in the workspace that the call acts in. With the mode `autonomous` it begins as `running`, and an agent
   * makes what the brief asks for from the workspace's footage: the project is `generating` while work that it
   * started continues, then `rendering`, and finally `idle` with the film at `assembled_url`; or `failed`. The
   * creator pays for it. With `manual` it begins as `idle`. Each status is sent to `webhook_url`. */
  createProject(body: Schemas["CreateProject"], options: Options = {}): Promise<Schemas["Project"]> {
    return this.calls.call(OPERATIONS.create_project, { body, options });
  }

  /** Summaries of the projects of the workspace that the call acts in, newest first. */
  listProjects(query: NonNullable<operations["list_projects"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["ListedProject"]> {
    return this.calls.pages(OPERATIONS.list_projects, { query, options });
  }

  /** Returns its full state. A webhook is sent once and may be lost: confirm the state here (contract §6.2.5). */
  getProject(id: string, options: Options = {}): Promise<Schemas["Project"]> {
    return this.calls.call(OPERATIONS.get_project, { path: { id: id }, options });
  }

  /** Deletes it with the log of its webhooks, whatever its status; no webhook is sent. Its agent's jobs stop, as for a
   * cancelled project. A cancelled project is deleted automatically after 30 days. */
  deleteProject(id: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.delete_project, { path: { id: id }, options });
  }

  /** This sends no webhook. A webhook that is already on its way still goes to the old URL. The URL ends with the
   * access of whoever sets it: when their key is revoked, or they may no longer edit in the workspace. */
  updateProjectSettings(id: string, body: Schemas["ChangeProjectSettings"], options: Options = {}): Promise<Schemas["ProjectSettings"]> {
    return this.calls.call(OPERATIONS.update_project_settings, { path: { id: id }, body, options });
  }

  /** Called by the agent that works on the project. Each change raises `revision` and is sent to the project's
   * `webhook_url`, once. `running` and `generating` lead to each other, to `idle` and to `failed`, `running` to
   * `rendering` also; `idle` leads to `running` and `rendering`; `rendering` to `idle` and `failed`; `failed` to
   * `running`. Whoever changes the status takes the project over: the service's own agent stops working on it. */
  changeProjectStatus(id: string, body: Schemas["ChangeProjectStatus"], options: Options = {}): Promise<Schemas["Project"]> {
    return this.calls.call(OPERATIONS.change_project_status, { path: { id: id }, body, options });
  }

  /** This is final, and no webhook is sent (contract §6.2.2). The agent stops, and so do the jobs that it started and
   * waits for, at no charge; jobs of others that it joined continue. */
  cancelProject(id: string, options: Options = {}): Promise<Schemas["Project"]> {
    return this.calls.call(OPERATIONS.cancel_project, { path: { id: id }, options });
  }

  /** Lists the webhooks of the project's changes of status, newest first: at most one for each change. Kept for 30
   * days. */
  listProjectDeliveries(id: string, query: NonNullable<operations["list_project_deliveries"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["ProjectDelivery"]> {
    return this.calls.pages(OPERATIONS.list_project_deliveries, { path: { id: id }, query, options });
  }

  /** A project that is `idle` or `failed` becomes `running` again: the agent does its work again with the message, on
   * behalf of whoever sends it. Reads are stored by then, and cost nothing again. */
  sayToProject(id: string, body: Schemas["ProjectMessage"], options: Options = {}): Promise<Schemas["Project"]> {
    return this.calls.call(OPERATIONS.say_to_project, { path: { id: id }, body, options });
  }

  /** Each call of a tool, oldest first: those for the brief, and for each message since. The steps for the ten messages
   * before the latest are kept too. */
  listProjectSteps(id: string, query: NonNullable<operations["list_project_steps"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["ProjectStep"]> {
    return this.calls.pages(OPERATIONS.list_project_steps, { path: { id: id }, query, options });
  }
}

/** The operations of `account`. */
export class Account {
  constructor(private readonly calls: Calls) {}

  /** Returns a single-use code, valid 10 minutes, that `POST /sessions/redeem` exchanges for a bearer token valid 30
   * minutes in this credential's workspace (contract §5.3). Refused for a script session token. */
  getApiSession(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_SessionCodeAnswer"]> {
    return this.calls.call(OPERATIONS.get_api_session, { body, options });
  }

  /** Lists the workspaces that the credential can reach, with the caller's role in each. An API key or a script session
   * reaches one. An OAuth access token reaches those of which its user is a member and into which they let the
   * connection. */
  listWorkspaces(query: NonNullable<operations["list_workspaces"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["Workspace"]> {
    return this.calls.pages(OPERATIONS.list_workspaces, { query, options });
  }

  /** Opens another workspace of the caller's account; only an owner may. A user who opens it becomes its owner; an API
   * key still acts in its own workspace only, and `POST /keys` makes one for the new workspace. An account has at
   * most 100. */
  createWorkspace(body: Schemas["WorkspaceName"], options: Options = {}): Promise<Schemas["Workspace"]> {
    return this.calls.call(OPERATIONS.create_workspace, { body, options });
  }

  /** Renames the workspace that the call acts in; only an owner may. */
  updateWorkspace(id: string, body: Schemas["WorkspaceName"], options: Options = {}): Promise<Schemas["Workspace"]> {
    return this.calls.call(OPERATIONS.update_workspace, { path: { id: id }, body, options });
  }

  /** Lists the members of the workspace that the call acts in; only owners may. API keys are not members: each acts as
   * an owner in the one workspace that it is bound to. */
  listMembers(id: string, query: NonNullable<operations["list_members"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["WorkspaceMember"]> {
    return this.calls.pages(OPERATIONS.list_members, { path: { id: id }, query, options });
  }

  /** Makes them a member, or changes a member's role. Only users of the workspace's account, or members of one of that
   * account's workspaces, can be given a role. The last owner must stay one. */
  putMember(id: string, userId: string, body: Schemas["MemberRole"], options: Options = {}): Promise<Schemas["WorkspaceMember"]> {
    return this.calls.call(OPERATIONS.put_member, { path: { id: id, userId: userId }, body, options });
  }

  /** The user's sessions in the workspace end too, and so do the keys to its account that they made. The last owner
   * can't be removed. */
  deleteMember(id: string, userId: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.delete_member, { path: { id: id, userId: userId }, options });
  }

  /** Returns the month's cloud minutes, the minutes that are held, purchased minutes, AI credits, and the rates of
   * reads and renders. */
  readBalances(options: Options = {}): Promise<Schemas["BalancesAnswer"]> {
    return this.calls.call(OPERATIONS.read_balances, { options });
  }

  /** The same as `GET /balances`, as a tool. */
  getBalances(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_BalancesAnswer"]> {
    return this.calls.call(OPERATIONS.get_balances, { body, options });
  }

  /** Returns the key once; only its hash is stored. An account has at most ten keys (contract §5.1). Refused for a
   * script session token, and for a workspace that the connection was not let into. */
  createKey(body: Schemas["CreateKey"] = {}, options: Options = {}): Promise<Schemas["CreatedKey"]> {
    return this.calls.call(OPERATIONS.create_key, { body, options });
  }

  /** The account's live keys, newest first, without the secrets. Refused for a script session token. */
  listKeys(query: NonNullable<operations["list_keys"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["Key"]> {
    return this.calls.pages(OPERATIONS.list_keys, { query, options });
  }

  /** Returns a live key, without the secret. Refused for a script session token. */
  getKey(keyId: string, options: Options = {}): Promise<Schemas["Key"]> {
    return this.calls.call(OPERATIONS.get_key, { path: { keyId: keyId }, options });
  }

  /** The key and the sessions made with it stop working at once; jobs that were already dispatched continue. Refused
   * for a script session token. */
  revokeKey(keyId: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.revoke_key, { path: { keyId: keyId }, options });
  }

  /** Lists who made, changed, rotated, revoked, enabled or disabled what, newest first; public links, calendar feeds,
   * workspaces and their members are in it too, and links to the portal that operators made. Entries are kept for
   * as long as the deployment says (400 days by default). Refused for a script session token. */
  listAudit(query: NonNullable<operations["list_audit"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["AccountChange"]> {
    return this.calls.pages(OPERATIONS.list_audit, { query, options });
  }

  /** Exchanges a code for a bearer token valid 30 minutes. Takes no `Authorization` header. A code can be redeemed
   * once, within 10 minutes; an address may try 10 times at once, and then once in six seconds. */
  redeemSession(body: Schemas["RedeemCode"], options: Options = {}): Promise<Schemas["SessionTokenAnswer"]> {
    return this.calls.call(OPERATIONS.redeem_session, { body, options });
  }

  /** Makes a link to pages for people of the account: their webhooks, jobs, usage and keys. It can be used once, within
   * ten minutes, and signs a browser in for an hour, with its key's rights on those pages; it makes no keys. The
   * session ends with the key that made the link, which must be an API key. */
  createPortalSession(body: Schemas["CreatePortalSession"] = {}, options: Options = {}): Promise<Schemas["PortalSession"]> {
    return this.calls.call(OPERATIONS.create_portal_session, { body, options });
  }

  /** Returns what stood before a month, the journal's entries of it, newest first, and what stands after them.
   * `adds_up` says whether the account's balances are what its whole journal adds up to. */
  getStatement(query: NonNullable<operations["get_statement"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["StatementEntry"]> {
    return this.calls.pages(OPERATIONS.get_statement, { query, options });
  }
}

/** The operations of `research`. */
export class Research {
  constructor(private readonly calls: Calls) {}

  /** Fetches the newest posts of a feed (RSS, Atom, JSON Feed), or the one post that a page is (Open Graph, oEmbed).
   * Texts are plain. A post is stored once, by its URL; pulled again, it is updated. Posts that nobody keeps
   * (`keep_post`) are deleted after 30 days, or once the workspaces of the account have 5,000 posts. A kept post
   * changes only when its own source changes, whatever another source says of it. Nothing is fetched behind a
   * login. */
  pullPosts(body: Schemas["PullPosts"], options: Options = {}): Promise<Schemas["ToolAnswer_PulledPosts"]> {
    return this.calls.call(OPERATIONS.pull_posts, { body, options });
  }

  /** Lists the posts that were pulled into the workspace, newest first. */
  listPosts(body: Schemas["ListPosts"] = {}, options: Options = {}): Pages<Schemas["Post"]> {
    return this.calls.pages(OPERATIONS.list_posts, { body, options });
  }

  /** The post stays until it is deleted. `import_media: true` imports the first of its media as an item, as
   * `import_media` does, with the reads of the workspace's settings; a post whose media was imported before is
   * not imported again. */
  keepPost(body: Schemas["KeepPost"], options: Options = {}): Promise<Schemas["ToolAnswer_PostAnswer"]> {
    return this.calls.call(OPERATIONS.keep_post, { body, options });
  }

  /** An item that was imported from it stays. */
  deletePost(body: Schemas["OnePost"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedPost"]> {
    return this.calls.call(OPERATIONS.delete_post, { body, options });
  }
}

/** The operations of `models`. */
export class Models {
  constructor(private readonly calls: Calls) {}

  /** Lists the built-in engines, and the models of the configured providers, with their prices. */
  getModels(options: Options = {}): Promise<Schemas["ModelList"]> {
    return this.calls.call(OPERATIONS.get_models, { options });
  }

  /** The same list as `GET /models`, as a tool. */
  listModels(body: Schemas["NoArguments"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_ModelPage"]> {
    return this.calls.call(OPERATIONS.list_models, { body, options });
  }

  /** Returns the minutes and AI credits that a call of a tool would hold, without making it: what the tool answers to
   * the same arguments with `dry_run: true`. A tool that itself costs nothing is not called; what the reads of an
   * import will cost is `minutes_per_imported_minute`. What a tool that is called would refuse is refused here
   * too. */
  estimateCost(body: Schemas["EstimateCost"], options: Options = {}): Promise<Schemas["ToolAnswer_CostEstimate"]> {
    return this.calls.call(OPERATIONS.estimate_cost, { body, options });
  }
}

/** The operations of `generation`. */
export class Generation {
  constructor(private readonly calls: Calls) {}

  /** Makes a picture from a text, by a provider's model, in a job that makes a new item. It is paid for in AI credits,
   * held when the job starts and charged when it succeeds, never more than was held. The same call makes the same
   * item once: give another `seed` for another picture. */
  generateImage(body: Schemas["GenerateImage"], options: Options = {}): Promise<Schemas["ToolAnswer_GenerationAnswer"]> {
    return this.calls.call(OPERATIONS.generate_image, { body, options });
  }

  /** Makes a film from a text, and from a picture to begin with if `ref` names one, by a provider's model, in a job
   * that makes a new item. It is paid for in AI credits as pictures are. */
  generateVideo(body: Schemas["GenerateVideo"], options: Options = {}): Promise<Schemas["ToolAnswer_GenerationAnswer"]> {
    return this.calls.call(OPERATIONS.generate_video, { body, options });
  }

  /** Makes speech from `text`, or sound such as music from a `prompt`, in a job that makes a new item. Two speech
   * engines are built in and cost no AI credits, only minutes of speech; their quality is draft. A text that
   * their voice has no sounds for is refused, and `warnings` names letters that it leaves out. Whatever is made
   * so is `synthetic`. */
  generateAudio(body: Schemas["GenerateAudio"] = {}, options: Options = {}): Promise<Schemas["ToolAnswer_GenerationAnswer"]> {
    return this.calls.call(OPERATIONS.generate_audio, { body, options });
  }

  /** Makes a new item that is two or four times as wide and as high. `lanczos`, which is built in, resamples and
   * invents nothing; it costs minutes as renders do, and no AI credits. */
  upscaleMedia(body: Schemas["UpscaleMedia"], options: Options = {}): Promise<Schemas["ToolAnswer_GenerationAnswer"]> {
    return this.calls.call(OPERATIONS.upscale_media, { body, options });
  }

  /** Makes a new item whose background is transparent: a PNG of a picture, a `WebM` with an alpha channel of a film.
   * `chroma-key`, which is built in, takes everything close to `color` as background; it costs minutes as renders
   * do, and no AI credits. */
  cutOut(body: Schemas["CutOut"], options: Options = {}): Promise<Schemas["ToolAnswer_GenerationAnswer"]> {
    return this.calls.call(OPERATIONS.cut_out, { body, options });
  }

  /** Translates the speech of an item and speaks it in another language, in a job of kind `dub` that makes a new item,
   * a timeline with the new voices as its voiceover, and a dub to edit. It needs the item's `transcript` and
   * `speakers` reads: stored ones are used at no charge. If one is missing, its job is started or joined and the
   * answer is `queued`: follow `job_id` with `get_jobs` and call again. With `script` neither is needed. Of a
   * timeline (`timeline_id`) the film is dubbed, and the new timeline is its variant: a film that is missing is
   * rendered first, in the same way. Name `timeline_revision` in each call, so that an edit in between changes
   * nothing. If the operator has configured a model for it, that translates, for AI credits (`translator`);
   * otherwise a built-in engine does. Built-in engines speak, at draft quality: listen to the result, and change
   * it with `edit_dub`. The same call makes the same dub once, until the dub or its item is deleted. */
  dub(body: Schemas["MakeDub"], options: Options = {}): Promise<Schemas["ToolAnswer_DubStanding"]> {
    return this.calls.call(OPERATIONS.dub, { body, options });
  }

  /** Newest first, without their segments. */
  listDubs(body: Schemas["ListDubs"] = {}, options: Options = {}): Pages<Schemas["ListedDub"]> {
    return this.calls.pages(OPERATIONS.list_dubs, { body, options });
  }

  /** With all its segments, what was last spoken, and whether it was changed since. `warnings` names what its voices
   * leave out. */
  getDub(body: Schemas["OneDub"], options: Options = {}): Promise<Schemas["ToolAnswer_DubAnswer"]> {
    return this.calls.call(OPERATIONS.get_dub, { body, options });
  }

  /** Changes its name or its segments: `ops` are applied in order, all of them or none, and a refusal names the one
   * that can't be applied. A new text that its segment's voice has no sounds for is refused too. Nothing is
   * spoken: `render_dub` speaks the changes. The last 50 changes can be undone with `undo_dub`. */
  editDub(body: Schemas["EditDub"], options: Options = {}): Promise<Schemas["ToolAnswer_DubAnswer"]> {
    return this.calls.call(OPERATIONS.edit_dub, { body, options });
  }

  /** Restores what the dub was before its latest change, as a new revision. A second call undoes the change before. */
  undoDub(body: Schemas["UndoDub"], options: Options = {}): Promise<Schemas["ToolAnswer_DubAnswer"]> {
    return this.calls.call(OPERATIONS.undo_dub, { body, options });
  }

  /** Starts a job that makes a new item of the dub as it is now, and puts the new voices into the dub's timeline. Only
   * segments whose text, voice or time changed are spoken; the job's result counts them (`spoken`, `reused`). If
   * the dub has not changed, the answer is `ready`. */
  renderDub(body: Schemas["RenderDub"], options: Options = {}): Promise<Schemas["ToolAnswer_DubStanding"]> {
    return this.calls.call(OPERATIONS.render_dub, { body, options });
  }

  /** Its history is deleted too. Its timeline and the items that were made of it stay. */
  deleteDub(body: Schemas["OneDub"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedDub"]> {
    return this.calls.call(OPERATIONS.delete_dub, { body, options });
  }
}

/** The operations of `timeline`. */
export class Timeline {
  constructor(private readonly calls: Calls) {}

  /** Creates a sequence of scenes, with sound, with pictures and texts over the scenes, and with captions. It is empty,
   * or what `ops` make of it. A workspace has at most 500 timelines. */
  createTimeline(body: Schemas["CreateTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_TimelineAnswer"]> {
    return this.calls.call(OPERATIONS.create_timeline, { body, options });
  }

  /** Newest first, without their scenes, sound, overlays and captions. */
  listTimelines(body: Schemas["ListTimelines"] = {}, options: Options = {}): Pages<Schemas["ListedTimeline"]> {
    return this.calls.pages(OPERATIONS.list_timelines, { body, options });
  }

  /** With everything in it, the time at which each scene begins, and links to what the scenes show. Parts whose item is
   * deleted say so. */
  getTimeline(body: Schemas["OneTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_TimelineAnswer"]> {
    return this.calls.call(OPERATIONS.get_timeline, { body, options });
  }

  /** Changes its name or its contents: `ops` are applied in order, all of them or none, and a refusal names the one
   * that can't be applied. The last 50 changes can be undone with `undo_timeline`. */
  editTimeline(body: Schemas["EditTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_TimelineAnswer"]> {
    return this.calls.call(OPERATIONS.edit_timeline, { body, options });
  }

  /** Restores what the timeline was before its latest change, as a new revision. A second call undoes the change
   * before. */
  undoTimeline(body: Schemas["UndoTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_TimelineAnswer"]> {
    return this.calls.call(OPERATIONS.undo_timeline, { body, options });
  }

  /** Its history is deleted too. The items that it names, and those that were rendered from it, stay. */
  deleteTimeline(body: Schemas["OneTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedTimeline"]> {
    return this.calls.call(OPERATIONS.delete_timeline, { body, options });
  }

  /** Starts a job that makes a new item of the timeline as it is now: a film of its scenes, cut to the frame, with its
   * overlays and its sound, or the sound alone. It costs as much as a render of its length, or as decoding up to
   * the parts that it uses, if that is more. While a film's item exists, the same film is not made again. Tracks
   * are turned down under the speech of those items whose `speech` read is stored; captions in the picture come
   * from stored transcripts, or from the timeline's cues. `warnings` names what is missing. */
  renderTimeline(body: Schemas["RenderTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_RenderedTimeline"]> {
    return this.calls.call(OPERATIONS.render_timeline, { body, options });
  }

  /** Returns it as `OpenTimelineIO`, which `import_timeline` restores unchanged; as an edit decision list; or as
   * captions: its own cues, or those of the stored transcripts of its scenes and its voiceover. */
  exportTimeline(body: Schemas["ExportTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_ExportedTimeline"]> {
    return this.calls.call(OPERATIONS.export_timeline, { body, options });
  }

  /** Makes a new timeline of an `OpenTimelineIO` document, whose first video track's clips become the scenes and whose
   * audio tracks' clips the sound; of an edit decision list, whose events become the same; or of captions, which
   * become its cues. Media that are not items of the workspace leave a black scene in their place, and what can't
   * be rendered is left out; `warnings` names both. */
  importTimeline(body: Schemas["ImportTimeline"], options: Options = {}): Promise<Schemas["ToolAnswer_ImportedTimeline"]> {
    return this.calls.call(OPERATIONS.import_timeline, { body, options });
  }
}

/** The operations of `canvas`. */
export class Canvas {
  constructor(private readonly calls: Calls) {}

  /** Creates a picture of stacked layers: images and frames of films, texts, shapes, gradients, logos. `{name}` in a
   * text is a placeholder that a render fills, so that one canvas makes many pictures. A workspace has at most
   * 500 canvases. */
  createCanvas(body: Schemas["CreateCanvas"], options: Options = {}): Promise<Schemas["ToolAnswer_CanvasAnswer"]> {
    return this.calls.call(OPERATIONS.create_canvas, { body, options });
  }

  /** Newest first, without their layers. */
  listCanvases(body: Schemas["ListCanvases"] = {}, options: Options = {}): Pages<Schemas["ListedCanvas"]> {
    return this.calls.pages(OPERATIONS.list_canvases, { body, options });
  }

  /** With all its layers, the lowest first, its placeholders, and links to the items that it shows. A layer whose item
   * is deleted says so. */
  getCanvas(body: Schemas["OneCanvas"], options: Options = {}): Promise<Schemas["ToolAnswer_CanvasAnswer"]> {
    return this.calls.call(OPERATIONS.get_canvas, { body, options });
  }

  /** Changes its name or its layers: `ops` are applied in order, all of them or none, and a refusal names the one that
   * can't be applied. The last 50 changes can be undone with `undo_canvas`. */
  editCanvas(body: Schemas["EditCanvas"], options: Options = {}): Promise<Schemas["ToolAnswer_CanvasAnswer"]> {
    return this.calls.call(OPERATIONS.edit_canvas, { body, options });
  }

  /** Restores what the canvas was before its latest change, as a new revision. A second call undoes the change before. */
  undoCanvas(body: Schemas["UndoCanvas"], options: Options = {}): Promise<Schemas["ToolAnswer_CanvasAnswer"]> {
    return this.calls.call(OPERATIONS.undo_canvas, { body, options });
  }

  /** Its history is deleted too. The items that it shows, and those that were rendered from it, stay. */
  deleteCanvas(body: Schemas["OneCanvas"], options: Options = {}): Promise<Schemas["ToolAnswer_DeletedCanvas"]> {
    return this.calls.call(OPERATIONS.delete_canvas, { body, options });
  }

  /** Starts a job that makes a new image of the canvas as it is now, with `values` for its placeholders and the names
   * of the brand kit resolved now. The same canvas always gives the same bytes, and while a picture's item exists
   * the same picture is not made again. It costs as much as one second of film for each 3840 × 2160 pixels begun,
   * or the cost of decoding its images if that is more. `warnings` names letters that the fonts lack. */
  renderCanvas(body: Schemas["RenderCanvas"], options: Options = {}): Promise<Schemas["ToolAnswer_RenderedCanvas"]> {
    return this.calls.call(OPERATIONS.render_canvas, { body, options });
  }
}

/** The operations of `uploads`. */
export class Uploads {
  constructor(private readonly calls: Calls) {}

  /** With `filename`, `content_type` and `bytes`: PUT the bytes as `upload` says, then call `complete`. With `url`: a
   * worker fetches the file, and there is nothing more to do. */
  createUpload(body: Schemas["CreateUpload"] = {}, options: Options = {}): Promise<Schemas["Upload"]> {
    return this.calls.call(OPERATIONS.create_upload, { body, options });
  }

  /** Returns its status, and why it failed. The URL that takes its bytes is not shown: only `POST /uploads` returns it.
   * An upload that has ended is kept as long as jobs are. */
  getUpload(id: string, options: Options = {}): Promise<Schemas["UploadDetail"]> {
    return this.calls.call(OPERATIONS.get_upload, { path: { id: id }, options });
  }

  /** Hands the bytes to a worker and returns the item in `processing`; `GET /library/items/{id}` says when it is
   * `ready` or `failed`. Completing it again returns the item again. */
  completeUpload(id: string, options: Options = {}): Promise<Schemas["LibraryItem"]> {
    return this.calls.call(OPERATIONS.complete_upload, { path: { id: id }, options });
  }
}

/** The operations of `webhooks`. */
export class Webhooks {
  constructor(private readonly calls: Calls) {}

  /** It gets the events of jobs that end in any workspace of the account. An account has at most ten (contract §8). */
  createWebhook(body: Schemas["CreateWebhook"], options: Options = {}): Promise<Schemas["Webhook"]> {
    return this.calls.call(OPERATIONS.create_webhook, { body, options });
  }

  /** The account's endpoints, newest first, each with its number of consecutive failures. */
  listWebhooks(query: NonNullable<operations["list_webhooks"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["Webhook"]> {
    return this.calls.pages(OPERATIONS.list_webhooks, { query, options });
  }

  /** Get a webhook endpoint */
  getWebhook(id: string, options: Options = {}): Promise<Schemas["Webhook"]> {
    return this.calls.call(OPERATIONS.get_webhook, { path: { id: id }, options });
  }

  /** With `test: true` one ping is sent now, after the changes; its result counts neither as failure nor as success,
   * and it is not retried. An endpoint takes ten pings a minute. */
  updateWebhook(id: string, body: Schemas["ChangeWebhook"] = {}, options: Options = {}): Promise<Schemas["Webhook"]> {
    return this.calls.call(OPERATIONS.update_webhook, { path: { id: id }, body, options });
  }

  /** Its pending deliveries are cancelled. */
  deleteWebhook(id: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.delete_webhook, { path: { id: id }, options });
  }

  /** Lists the endpoint's deliveries, newest first, with the receiver's status and the error. They are kept for 30
   * days. With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and still
   * be followed by more. */
  listDeliveries(id: string, query: NonNullable<operations["list_deliveries"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["Delivery"]> {
    return this.calls.pages(OPERATIONS.list_deliveries, { path: { id: id }, query, options });
  }

  /** With `delivery_id`, sends that delivery again from its first attempt: a new delivery, which names it in
   * `resend_of`. If that one, or a resend of it, is still pending, it is cancelled. With `since`, sends every
   * event since then whose last delivery failed or was skipped. */
  resendDelivery(id: string, body: Schemas["Resend"] = {}, options: Options = {}): Promise<Schemas["Resent"]> {
    return this.calls.call(OPERATIONS.resend_delivery, { path: { id: id }, body, options });
  }

  /** With the requests that were sent: the body, and for each attempt the host, the path and the headers with the
   * signature. */
  getDelivery(id: string, deliveryId: string, options: Options = {}): Promise<Schemas["DeliveryDetail"]> {
    return this.calls.call(OPERATIONS.get_delivery, { path: { id: id, delivery_id: deliveryId }, options });
  }

  /** The secret signs every endpoint of the account. Refused for a script session token. */
  getWebhookSecret(options: Options = {}): Promise<Schemas["Secret"]> {
    return this.calls.call(OPERATIONS.get_webhook_secret, { options });
  }

  /** Without `rotate` it returns the existing secret, or creates one. With `rotate: true` it creates a new one; the old
   * one keeps verifying for 24 hours, in which there can be no other rotation. Refused for a script session
   * token. */
  createWebhookSecret(body: Schemas["CreateSecret"] = {}, options: Options = {}): Promise<Schemas["Secret"]> {
    return this.calls.call(OPERATIONS.create_webhook_secret, { body, options });
  }

  /** Deliveries are then signed with the shared default secret. A previous secret that still verified after a rotation
   * is removed too. Refused for a script session token. */
  deleteWebhookSecret(options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.delete_webhook_secret, { options });
  }

  /** The account's job events, newest first, as endpoints are sent them, whether it has endpoints or not. They are kept
   * for 30 days. With filters a page looks through 2,000 events: it may have fewer than `limit`, or none, and
   * still be followed by more. */
  listEvents(query: NonNullable<operations["list_events"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["JobEvent"]> {
    return this.calls.pages(OPERATIONS.list_events, { query, options });
  }

  /** Returns the exact JSON that endpoints are sent, also for a ping. Events are kept for 30 days. */
  getEvent(id: string, options: Options = {}): Promise<Schemas["AnyEvent"]> {
    return this.calls.call(OPERATIONS.get_event, { path: { id: id }, options });
  }
}

/** The operations of `operator`. */
export class Operator {
  constructor(private readonly calls: Calls) {}

  /** It has a default workspace, and an API key for it if one is requested. */
  operatorCreateAccount(body: Schemas["OpenAccount"], options: Options = {}): Promise<Schemas["OpenedAccount"]> {
    return this.calls.call(OPERATIONS.operator_create_account, { body, options });
  }

  /** All accounts, newest first. */
  operatorListAccounts(query: NonNullable<operations["operator_list_accounts"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["OperatorAccount"]> {
    return this.calls.pages(OPERATIONS.operator_list_accounts, { query, options });
  }

  /** Returns the account, its balances, and the processor time that its work used unpaid. */
  operatorGetAccount(id: string, options: Options = {}): Promise<Schemas["AccountDetail"]> {
    return this.calls.call(OPERATIONS.operator_get_account, { path: { id: id }, options });
  }

  /** Changes its name. Minutes are given by `POST /operator/accounts/{id}/minutes`. */
  operatorUpdateAccount(id: string, body: Schemas["ChangeAccount"], options: Options = {}): Promise<Schemas["OperatorAccount"]> {
    return this.calls.call(OPERATIONS.operator_update_account, { path: { id: id }, body, options });
  }

  /** The time that its media and jobs used unpaid no longer counts, nor do its jobs of a day that were stopped or
   * failed: jobs and uploads are accepted at once, and work that was put off continues. */
  operatorForgiveProcessorTime(id: string, options: Options = {}): Promise<Schemas["AccountDetail"]> {
    return this.calls.call(OPERATIONS.operator_forgive_processor_time, { path: { id: id }, options });
  }

  /** All its credentials are refused with 403 `account_suspended`, its open event streams end, its queued jobs wait,
   * and its endpoints get no events: events are `skipped`, and can be sent again once it is resumed. Running work
   * continues unless `end_work` is true. Nothing is deleted. Repeated, it changes the reason. */
  operatorSuspendAccount(id: string, body: Schemas["SuspendAccount"], options: Options = {}): Promise<Schemas["SuspendedAccount"]> {
    return this.calls.call(OPERATIONS.operator_suspend_account, { path: { id: id }, body, options });
  }

  /** Its credentials are accepted again, its jobs continue, and the endpoints that the suspension disabled are enabled. */
  operatorResumeAccount(id: string, options: Options = {}): Promise<Schemas["OperatorAccount"]> {
    return this.calls.call(OPERATIONS.operator_resume_account, { path: { id: id }, options });
  }

  /** Live and revoked keys, newest first, without the secrets. */
  operatorListKeys(query: NonNullable<operations["operator_list_keys"]["parameters"]["query"]>, options: Options = {}): Pages<Schemas["OperatorKey"]> {
    return this.calls.pages(OPERATIONS.operator_list_keys, { query, options });
  }

  /** As `POST /keys` creates one for its own account, and within the same bound of ten: for an account that has no key
   * yet, or has lost it. Only this answer shows it. The account's audit log says that an operator made it. */
  operatorCreateKey(id: string, body: Schemas["CreateKey"] = {}, options: Options = {}): Promise<Schemas["CreatedKey"]> {
    return this.calls.call(OPERATIONS.operator_create_key, { path: { id: id }, body, options });
  }

  /** This works for any account's key: the key, the sessions made with it and its open event streams end at once; jobs
   * that were already dispatched continue. Its owner sees it in their audit log. */
  operatorRevokeKey(id: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.operator_revoke_key, { path: { id: id }, options });
  }

  /** It must be suspended. Its workspaces with their items and projects, its users, endpoints, signing secret, audit
   * log and name are erased for good; bytes are deleted as for deleted items. Ids and the ledger stay. Repeated,
   * it continues where it stopped. */
  operatorEraseAccount(id: string, options: Options = {}): Promise<Schemas["ErasedAnswer"]> {
    return this.calls.call(OPERATIONS.operator_erase_account, { path: { id: id }, options });
  }

  /** Its items, projects, members, keys and name are erased for good. An account's default workspace is erased with its
   * account only. */
  operatorEraseWorkspace(id: string, options: Options = {}): Promise<Schemas["ErasedAnswer"]> {
    return this.calls.call(OPERATIONS.operator_erase_workspace, { path: { id: id }, options });
  }

  /** Deletes it as its owner could, and erases its name at once. An item that was deleted before loses its name too. */
  operatorEraseItem(id: string, options: Options = {}): Promise<Schemas["ErasedAnswer"]> {
    return this.calls.call(OPERATIONS.operator_erase_item, { path: { id: id }, options });
  }

  /** With `oauth_subject`, whoever presents an access token with that subject is this user, whatever `MWS_OAUTH_SIGNUP`
   * says. They can use the workspaces of which they are members. */
  operatorCreateUser(body: Schemas["AddUser"], options: Options = {}): Promise<Schemas["OperatorUser"]> {
    return this.calls.call(OPERATIONS.operator_create_user, { body, options });
  }

  /** All users, newest first. */
  operatorListUsers(query: NonNullable<operations["operator_list_users"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["OperatorUser"]> {
    return this.calls.pages(OPERATIONS.operator_list_users, { query, options });
  }

  /** Changes their name, the tokens that stand for them, or whether they are admitted. */
  operatorUpdateUser(id: string, body: Schemas["ChangeUser"] = {}, options: Options = {}): Promise<Schemas["OperatorUser"]> {
    return this.calls.call(OPERATIONS.operator_update_user, { path: { id: id }, body, options });
  }

  /** The first workspace of an account is its default. */
  operatorCreateWorkspace(body: Schemas["OpenWorkspace"], options: Options = {}): Promise<Schemas["OperatorWorkspace"]> {
    return this.calls.call(OPERATIONS.operator_create_workspace, { body, options });
  }

  /** All workspaces, newest first. */
  operatorListWorkspaces(query: NonNullable<operations["operator_list_workspaces"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["OperatorWorkspace"]> {
    return this.calls.pages(OPERATIONS.operator_list_workspaces, { query, options });
  }

  /** Changes its name, or makes it its account's default. */
  operatorUpdateWorkspace(id: string, body: Schemas["ChangeWorkspace"] = {}, options: Options = {}): Promise<Schemas["OperatorWorkspace"]> {
    return this.calls.call(OPERATIONS.operator_update_workspace, { path: { id: id }, body, options });
  }

  /** Makes them a member, or changes a member's role. */
  operatorPutMember(body: Schemas["PutMember"], options: Options = {}): Promise<Schemas["OperatorMember"]> {
    return this.calls.call(OPERATIONS.operator_put_member, { body, options });
  }

  /** Lists the members of a workspace, or the memberships of a user: give exactly one of the two. */
  operatorListMembers(query: NonNullable<operations["operator_list_members"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["OperatorMember"]> {
    return this.calls.pages(OPERATIONS.operator_list_members, { query, options });
  }

  /** The user loses access to the workspace at once: their sessions there end, and the keys to the workspace's account
   * that they made, or whose keys made them, are revoked. Work that they have started continues. If the account
   * is their own, they remain one of its users: disable them to keep them out of all of it. */
  operatorDeleteMember(workspaceId: string, userId: string, options: Options = {}): Promise<Schemas["Deleted"]> {
    return this.calls.call(OPERATIONS.operator_delete_member, { path: { workspaceId: workspaceId, userId: userId }, options });
  }

  /** A grant adds to the current month, a purchase to the purchased minutes, an allowance sets the minutes of each
   * month. An allowance below what is used and held leaves nothing, and takes nothing back. */
  operatorGiveMinutes(id: string, body: Schemas["GiveMinutes"], options: Options = {}): Promise<Schemas["GivenMinutes"]> {
    return this.calls.call(OPERATIONS.operator_give_minutes, { path: { id: id }, body, options });
  }

  /** A grant and a purchase add credits, which never expire; a withdrawal takes back credits that are not held. */
  operatorGiveCredits(id: string, body: Schemas["GiveCredits"], options: Options = {}): Promise<Schemas["GivenCredits"]> {
    return this.calls.call(OPERATIONS.operator_give_credits, { path: { id: id }, body, options });
  }

  /** The reads: the engine of each, whether it is paused, and how many of its jobs wait. */
  operatorListReads(options: Options = {}): Promise<Schemas["OperatorReadList"]> {
    return this.calls.call(OPERATIONS.operator_list_reads, { options });
  }

  /** While a read is paused its running jobs continue, its waiting jobs wait and give their places to others, and calls
   * for it are answered `held`. Nothing is cancelled and nothing is charged. */
  operatorUpdateRead(read: string, body: Schemas["ChangeRead"], options: Options = {}): Promise<Schemas["OperatorRead"]> {
    return this.calls.call(OPERATIONS.operator_update_read, { path: { read: read }, body, options });
  }

  /** Newest first. With filters a page looks through 2,000 jobs: it may have fewer than `limit`, or none, and still be
   * followed by more. A token of the role `metadata` sees no results and no texts of customers. */
  operatorListJobs(query: NonNullable<operations["operator_list_jobs"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["OperatorJob"]> {
    return this.calls.pages(OPERATIONS.operator_list_jobs, { query, options });
  }

  /** Returns the job as its account sees it, and the accounts that own and pay for it. A token of the role `metadata`
   * sees no result and no texts of customers. */
  operatorGetJob(id: string, options: Options = {}): Promise<Schemas["OperatorJob"]> {
    return this.calls.call(OPERATIONS.operator_get_job, { path: { id: id }, options });
  }

  /** A job that is queued is cancelled at once, one that runs when its worker notices. It costs nothing, and its
   * account is told as when it cancels a job itself. */
  operatorCancelJob(id: string, options: Options = {}): Promise<Schemas["OperatorJob"]> {
    return this.calls.call(OPERATIONS.operator_cancel_job, { path: { id: id }, options });
  }

  /** Starts the read of a failed or cancelled job again, as a new job, for the account that paid for the first one. The
   * answer is `prepare_media`'s for that read: `ready` if it has been stored meanwhile, or a reason if it can't
   * start. The first job does not change. */
  operatorRetryJob(id: string, options: Options = {}): Promise<Schemas["PreparedRead"]> {
    return this.calls.call(OPERATIONS.operator_retry_job, { path: { id: id }, options });
  }

  /** Newest first. With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and
   * still be followed by more. For a token of the role `metadata` `response_excerpt` and `response_headers` are
   * null. */
  operatorListDeliveries(query: NonNullable<operations["operator_list_deliveries"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["Delivery"]> {
    return this.calls.pages(OPERATIONS.operator_list_deliveries, { query, options });
  }

  /** With the requests that were sent and what was answered. For a token of the role `metadata` the body, paths,
   * headers and excerpts are null. */
  operatorGetDelivery(id: string, options: Options = {}): Promise<Schemas["DeliveryDetail"]> {
    return this.calls.call(OPERATIONS.operator_get_delivery, { path: { id: id }, options });
  }

  /** Sends every event since a time again whose last delivery to an endpoint failed or was skipped, and which matches
   * the filters: each as a new delivery, from its first attempt. With `dry_run` they are only counted. One
   * request sends at most 50,000; for more, start a bulk operation (`POST /operator/bulk-operations`). */
  operatorResendDeliveries(body: Schemas["ResendAll"], options: Options = {}): Promise<Schemas["ResentAll"]> {
    return this.calls.call(OPERATIONS.operator_resend_deliveries, { body, options });
  }

  /** Sends it again from its first attempt, whether it arrived or not: as a new delivery, which names it in
   * `resend_of`. If it, or a resend of it, is still pending, that one is cancelled. */
  operatorResendDelivery(id: string, options: Options = {}): Promise<Schemas["Delivery"]> {
    return this.calls.call(OPERATIONS.operator_resend_delivery, { path: { id: id }, options });
  }

  /** Newest first, with those that their owners removed lately. A URL may hold a secret of its owner's, and is shown
   * without its query. */
  operatorListWebhooks(query: NonNullable<operations["operator_list_webhooks"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["ListedWebhook"]> {
    return this.calls.pages(OPERATIONS.operator_list_webhooks, { query, options });
  }

  /** Enabling and disabling are in the account's own audit log too, without the operator's name. An endpoint of a
   * suspended account can't be enabled or tested. A ping's result counts neither as failure nor as success, and
   * it is not retried; an endpoint takes ten pings a minute. */
  operatorUpdateWebhook(id: string, body: Schemas["ChangeAnyWebhook"] = {}, options: Options = {}): Promise<Schemas["OperatorWebhook"]> {
    return this.calls.call(OPERATIONS.operator_update_webhook, { path: { id: id }, body, options });
  }

  /** Sends again all events whose last delivery to an endpoint failed or was skipped, and which match the filters: each
   * as a new delivery, from its first attempt, up to `pace` or 500 a second, the oldest of each endpoint first.
   * Count them before with `dry_run` of `POST /operator/deliveries/resend`, and pass on its `until`, which must
   * not lie ahead. With the kind `rerun_reads` it runs failed reads again instead, up to 50 a second, for the
   * accounts that paid for them: count those before with `GET /operator/failed-reads`. The operation goes on by
   * itself, whatever restarts meanwhile; at most five run at once. */
  operatorStartBulkOperation(body: Schemas["StartBulkOperation"], options: Options = {}): Promise<Schemas["BulkOperationAnswer"]> {
    return this.calls.call(OPERATIONS.operator_start_bulk_operation, { body, options });
  }

  /** Newest first, with how far each is. Those that have ended are kept as long as accounts' audit logs, 400 days
   * unless the deployment says otherwise. */
  operatorListBulkOperations(query: NonNullable<operations["operator_list_bulk_operations"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["BulkOperationAnswer"]> {
    return this.calls.pages(OPERATIONS.operator_list_bulk_operations, { query, options });
  }

  /** Counts the reads that failed and were not started again since, by the account that paid for them, with the minutes
   * that were held. It is the preview of `POST /operator/bulk-operations` with the kind `rerun_reads`: pass on
   * its `until`. An item and read counts once, by its last job. */
  operatorCountFailedReads(query: NonNullable<operations["operator_count_failed_reads"]["parameters"]["query"]>, options: Options = {}): Promise<Schemas["FailedReads"]> {
    return this.calls.call(OPERATIONS.operator_count_failed_reads, { query, options });
  }

  /** With how far it is. */
  operatorGetBulkOperation(id: string, options: Options = {}): Promise<Schemas["BulkOperationAnswer"]> {
    return this.calls.call(OPERATIONS.operator_get_bulk_operation, { path: { id: id }, options });
  }

  /** What it has sent stays sent, what it has started goes on, and nothing more is. One that has ended stays as it is. */
  operatorStopBulkOperation(id: string, options: Options = {}): Promise<Schemas["BulkOperationAnswer"]> {
    return this.calls.call(OPERATIONS.operator_stop_bulk_operation, { path: { id: id }, options });
  }

  /** Lists what operators did, newest first, and what they viewed (`view`: once an hour for the same operator and
   * route). It is kept for good, can't be changed, and each row carries the hash of the one before it. */
  operatorListAudit(query: NonNullable<operations["operator_list_audit"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["AuditEntry"]> {
    return this.calls.pages(OPERATIONS.operator_list_audit, { query, options });
  }

  /** The health of the service on five axes: each with a sentence, the numbers behind it, and the command that helps
   * next. Of several troubles at once these tell the worst, and `also` has the others. The same numbers give the
   * same words. An axis whose numbers are too old is `unknown`, never `healthy`. `load` has what waits and runs
   * by task, and the workers and schedulers; `invariants` the rules that are checked of the rows. */
  operatorGetReport(options: Options = {}): Promise<Schemas["HealthReport"]> {
    return this.calls.call(OPERATIONS.operator_get_report, { options });
  }

  /** The jobs of all accounts that failed within a day, of these the newest 20,000. Those of one kind and read that
   * failed with one code and one message are one row; numbers in messages are taken as equal. `GET
   * /operator/jobs` with `status`, `read` and `error_code` lists the jobs of a row. `deliveries` has the
   * deliveries that were made within a day and whose last attempt failed, among the newest 20,000, also while
   * they are tried again. Those to one host with one error and one HTTP status are one row. `GET
   * /operator/deliveries` with `error` and `http_status` lists them. */
  operatorListErrors(options: Options = {}): Promise<Schemas["OperatorErrorList"]> {
    return this.calls.call(OPERATIONS.operator_list_errors, { options });
  }

  /** The age of the oldest rows of which old ones are deleted, and how large each table is. Sizes are those of the last
   * vacuum or analysis of a table: nothing is counted for it. */
  operatorGetRetention(options: Options = {}): Promise<Schemas["RetentionAnswer"]> {
    return this.calls.call(OPERATIONS.operator_get_retention, { options });
  }

  /** As its account gets it: what stood before the month, the journal's entries of it, newest first, and what stands
   * after them. `adds_up` says whether the account's balances are what its whole journal adds up to. */
  operatorGetStatement(id: string, query: NonNullable<operations["operator_get_statement"]["parameters"]["query"]> = {}, options: Options = {}): Pages<Schemas["StatementEntry"]> {
    return this.calls.pages(OPERATIONS.operator_get_statement, { path: { id: id }, query, options });
  }

  /** A browser that follows it is signed in as the operator whose token this is, for twelve hours or until the token
   * changes. The link can be used once, within ten minutes. */
  operatorCreateConsoleLink(options: Options = {}): Promise<Schemas["ConsoleLink"]> {
    return this.calls.call(OPERATIONS.operator_create_console_link, { options });
  }

  /** As `POST /portal-sessions` makes one for its own account: it can be used once, within ten minutes, and signs a
   * browser in for an hour. It stands for the newest live key of the account's default workspace, or else for its
   * newest one, and ends with that. The account's audit log says that an operator made it. */
  operatorCreatePortalSession(id: string, body: Schemas["CreatePortalSession"] = {}, options: Options = {}): Promise<Schemas["PortalSession"]> {
    return this.calls.call(OPERATIONS.operator_create_portal_session, { path: { id: id }, body, options });
  }
}
