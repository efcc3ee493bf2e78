"""Every operation, a class a tag, for both kinds of client. Made by sdk/generate from openapi.json: change those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from . import _types as types
from ._call import AsyncGroup, AsyncPages, Group, Operation, Page

OPERATIONS = {
    'list_tools': Operation('list_tools', 'GET', '/tools', 'harmless', types.ToolList),
    'prepare_media': Operation('prepare_media', 'POST', '/tools/prepare_media', 'kept', types.ToolAnswerPreparedMedia),
    'get_jobs': Operation('get_jobs', 'POST', '/tools/get_jobs', 'harmless', types.ToolAnswerJobsAnswer, rows=('data', 'jobs')),
    'cancel_jobs': Operation('cancel_jobs', 'POST', '/tools/cancel_jobs', 'harmless', types.ToolAnswerCancelJobsAnswer),
    'get_api_session': Operation('get_api_session', 'POST', '/tools/get_api_session', 'refused', types.ToolAnswerSessionCodeAnswer),
    'list_items': Operation('list_items', 'POST', '/tools/list_items', 'harmless', types.ToolAnswerItemPage, rows=('data', 'items')),
    'get_item': Operation('get_item', 'POST', '/tools/get_item', 'harmless', types.ToolAnswerItemAnswer),
    'update_item': Operation('update_item', 'POST', '/tools/update_item', 'harmless', types.ToolAnswerItemAnswer),
    'import_media': Operation('import_media', 'POST', '/tools/import_media', 'kept', types.ToolAnswerItemAnswer),
    'delete_item': Operation('delete_item', 'POST', '/tools/delete_item', 'harmless', types.ToolAnswerDeletedItem),
    'transcribe_media': Operation('transcribe_media', 'POST', '/tools/transcribe_media', 'kept', types.ToolAnswerTranscriptAnswer),
    'speakers': Operation('speakers', 'POST', '/tools/speakers', 'kept', types.ToolAnswerSpeakersAnswer),
    'detect_beats': Operation('detect_beats', 'POST', '/tools/detect_beats', 'kept', types.ToolAnswerBeatsAnswer),
    'remove_silence': Operation('remove_silence', 'POST', '/tools/remove_silence', 'kept', types.ToolAnswerSilenceAnswer),
    'duck_music': Operation('duck_music', 'POST', '/tools/duck_music', 'kept', types.ToolAnswerDuckAnswer),
    'search_footage': Operation('search_footage', 'POST', '/tools/search_footage', 'harmless', types.ToolAnswerFootageMatches),
    'create_board': Operation('create_board', 'POST', '/tools/create_board', 'kept', types.ToolAnswerBoardAnswer),
    'list_boards': Operation('list_boards', 'POST', '/tools/list_boards', 'harmless', types.ToolAnswerBoardPage, rows=('data', 'boards')),
    'get_board': Operation('get_board', 'POST', '/tools/get_board', 'harmless', types.ToolAnswerBoardAnswer),
    'edit_board': Operation('edit_board', 'POST', '/tools/edit_board', 'kept', types.ToolAnswerBoardAnswer),
    'undo_board': Operation('undo_board', 'POST', '/tools/undo_board', 'kept', types.ToolAnswerBoardAnswer),
    'delete_board': Operation('delete_board', 'POST', '/tools/delete_board', 'harmless', types.ToolAnswerDeletedBoard),
    'add_comment': Operation('add_comment', 'POST', '/tools/add_comment', 'kept', types.ToolAnswerCommentAnswer),
    'list_comments': Operation('list_comments', 'POST', '/tools/list_comments', 'harmless', types.ToolAnswerCommentPage, rows=('data', 'comments')),
    'update_comment': Operation('update_comment', 'POST', '/tools/update_comment', 'harmless', types.ToolAnswerCommentAnswer),
    'delete_comment': Operation('delete_comment', 'POST', '/tools/delete_comment', 'harmless', types.ToolAnswerDeletedComment),
    'create_public_link': Operation('create_public_link', 'POST', '/tools/create_public_link', 'kept', types.ToolAnswerCreatedPublicLink),
    'list_public_links': Operation('list_public_links', 'POST', '/tools/list_public_links', 'harmless', types.ToolAnswerPublicLinkPage, rows=('data', 'links')),
    'revoke_public_link': Operation('revoke_public_link', 'POST', '/tools/revoke_public_link', 'harmless', types.ToolAnswerPublicLinkAnswer),
    'pull_posts': Operation('pull_posts', 'POST', '/tools/pull_posts', 'harmless', types.ToolAnswerPulledPosts),
    'list_posts': Operation('list_posts', 'POST', '/tools/list_posts', 'harmless', types.ToolAnswerPostPage, rows=('data', 'posts')),
    'keep_post': Operation('keep_post', 'POST', '/tools/keep_post', 'kept', types.ToolAnswerPostAnswer),
    'delete_post': Operation('delete_post', 'POST', '/tools/delete_post', 'harmless', types.ToolAnswerDeletedPost),
    'get_models': Operation('get_models', 'GET', '/models', 'harmless', types.ModelList),
    'list_models': Operation('list_models', 'POST', '/tools/list_models', 'harmless', types.ToolAnswerModelPage),
    'estimate_cost': Operation('estimate_cost', 'POST', '/tools/estimate_cost', 'harmless', types.ToolAnswerCostEstimate),
    'generate_image': Operation('generate_image', 'POST', '/tools/generate_image', 'kept', types.ToolAnswerGenerationAnswer),
    'generate_video': Operation('generate_video', 'POST', '/tools/generate_video', 'kept', types.ToolAnswerGenerationAnswer),
    'generate_audio': Operation('generate_audio', 'POST', '/tools/generate_audio', 'kept', types.ToolAnswerGenerationAnswer),
    'upscale_media': Operation('upscale_media', 'POST', '/tools/upscale_media', 'kept', types.ToolAnswerGenerationAnswer),
    'cut_out': Operation('cut_out', 'POST', '/tools/cut_out', 'kept', types.ToolAnswerGenerationAnswer),
    'dub': Operation('dub', 'POST', '/tools/dub', 'kept', types.ToolAnswerDubStanding),
    'list_dubs': Operation('list_dubs', 'POST', '/tools/list_dubs', 'harmless', types.ToolAnswerDubPage, rows=('data', 'dubs')),
    'get_dub': Operation('get_dub', 'POST', '/tools/get_dub', 'harmless', types.ToolAnswerDubAnswer),
    'edit_dub': Operation('edit_dub', 'POST', '/tools/edit_dub', 'kept', types.ToolAnswerDubAnswer),
    'undo_dub': Operation('undo_dub', 'POST', '/tools/undo_dub', 'kept', types.ToolAnswerDubAnswer),
    'render_dub': Operation('render_dub', 'POST', '/tools/render_dub', 'kept', types.ToolAnswerDubStanding),
    'delete_dub': Operation('delete_dub', 'POST', '/tools/delete_dub', 'harmless', types.ToolAnswerDeletedDub),
    'read_overview': Operation('read_overview', 'GET', '/overview', 'harmless', types.OverviewAnswer),
    'get_overview': Operation('get_overview', 'POST', '/tools/get_overview', 'harmless', types.ToolAnswerOverviewAnswer),
    'get_brand_kit': Operation('get_brand_kit', 'POST', '/tools/get_brand_kit', 'harmless', types.ToolAnswerBrandKitAnswer),
    'update_brand_kit': Operation('update_brand_kit', 'POST', '/tools/update_brand_kit', 'kept', types.ToolAnswerBrandKitAnswer),
    'undo_brand_kit': Operation('undo_brand_kit', 'POST', '/tools/undo_brand_kit', 'kept', types.ToolAnswerBrandKitAnswer),
    'add_calendar_entry': Operation('add_calendar_entry', 'POST', '/tools/add_calendar_entry', 'kept', types.ToolAnswerCalendarEntryAnswer),
    'list_calendar': Operation('list_calendar', 'POST', '/tools/list_calendar', 'harmless', types.ToolAnswerCalendarPage, rows=('data', 'entries')),
    'update_calendar_entry': Operation('update_calendar_entry', 'POST', '/tools/update_calendar_entry', 'harmless', types.ToolAnswerCalendarEntryAnswer),
    'delete_calendar_entry': Operation('delete_calendar_entry', 'POST', '/tools/delete_calendar_entry', 'harmless', types.ToolAnswerDeletedCalendarEntry),
    'create_calendar_feed': Operation('create_calendar_feed', 'POST', '/tools/create_calendar_feed', 'kept', types.ToolAnswerCreatedCalendarFeed),
    'list_calendar_feeds': Operation('list_calendar_feeds', 'POST', '/tools/list_calendar_feeds', 'harmless', types.ToolAnswerCalendarFeedList),
    'revoke_calendar_feed': Operation('revoke_calendar_feed', 'POST', '/tools/revoke_calendar_feed', 'harmless', types.ToolAnswerRevokedCalendarFeed),
    'get_settings': Operation('get_settings', 'POST', '/tools/get_settings', 'harmless', types.ToolAnswerSettingsAnswer),
    'update_settings': Operation('update_settings', 'POST', '/tools/update_settings', 'kept', types.ToolAnswerSettingsAnswer),
    'undo_settings': Operation('undo_settings', 'POST', '/tools/undo_settings', 'kept', types.ToolAnswerSettingsAnswer),
    'save_skill': Operation('save_skill', 'POST', '/tools/save_skill', 'kept', types.ToolAnswerSkillAnswer),
    'list_skills': Operation('list_skills', 'POST', '/tools/list_skills', 'harmless', types.ToolAnswerSkillPage, rows=('data', 'skills')),
    'get_skill': Operation('get_skill', 'POST', '/tools/get_skill', 'harmless', types.ToolAnswerSkillAnswer),
    'undo_skill': Operation('undo_skill', 'POST', '/tools/undo_skill', 'kept', types.ToolAnswerSkillAnswer),
    'delete_skill': Operation('delete_skill', 'POST', '/tools/delete_skill', 'harmless', types.ToolAnswerDeletedSkill),
    'save_template': Operation('save_template', 'POST', '/tools/save_template', 'kept', types.ToolAnswerTemplateAnswer),
    'list_templates': Operation('list_templates', 'POST', '/tools/list_templates', 'harmless', types.ToolAnswerTemplatePage, rows=('data', 'templates')),
    'run_template': Operation('run_template', 'POST', '/tools/run_template', 'kept', types.ToolAnswerFields),
    'undo_template': Operation('undo_template', 'POST', '/tools/undo_template', 'kept', types.ToolAnswerTemplateAnswer),
    'delete_template': Operation('delete_template', 'POST', '/tools/delete_template', 'harmless', types.ToolAnswerDeletedTemplate),
    'create_timeline': Operation('create_timeline', 'POST', '/tools/create_timeline', 'kept', types.ToolAnswerTimelineAnswer),
    'list_timelines': Operation('list_timelines', 'POST', '/tools/list_timelines', 'harmless', types.ToolAnswerTimelinePage, rows=('data', 'timelines')),
    'get_timeline': Operation('get_timeline', 'POST', '/tools/get_timeline', 'harmless', types.ToolAnswerTimelineAnswer),
    'edit_timeline': Operation('edit_timeline', 'POST', '/tools/edit_timeline', 'kept', types.ToolAnswerTimelineAnswer),
    'undo_timeline': Operation('undo_timeline', 'POST', '/tools/undo_timeline', 'kept', types.ToolAnswerTimelineAnswer),
    'delete_timeline': Operation('delete_timeline', 'POST', '/tools/delete_timeline', 'harmless', types.ToolAnswerDeletedTimeline),
    'render_timeline': Operation('render_timeline', 'POST', '/tools/render_timeline', 'kept', types.ToolAnswerRenderedTimeline),
    'export_timeline': Operation('export_timeline', 'POST', '/tools/export_timeline', 'harmless', types.ToolAnswerExportedTimeline),
    'import_timeline': Operation('import_timeline', 'POST', '/tools/import_timeline', 'kept', types.ToolAnswerImportedTimeline),
    'create_canvas': Operation('create_canvas', 'POST', '/tools/create_canvas', 'kept', types.ToolAnswerCanvasAnswer),
    'list_canvases': Operation('list_canvases', 'POST', '/tools/list_canvases', 'harmless', types.ToolAnswerCanvasPage, rows=('data', 'canvases')),
    'get_canvas': Operation('get_canvas', 'POST', '/tools/get_canvas', 'harmless', types.ToolAnswerCanvasAnswer),
    'edit_canvas': Operation('edit_canvas', 'POST', '/tools/edit_canvas', 'kept', types.ToolAnswerCanvasAnswer),
    'undo_canvas': Operation('undo_canvas', 'POST', '/tools/undo_canvas', 'kept', types.ToolAnswerCanvasAnswer),
    'delete_canvas': Operation('delete_canvas', 'POST', '/tools/delete_canvas', 'harmless', types.ToolAnswerDeletedCanvas),
    'render_canvas': Operation('render_canvas', 'POST', '/tools/render_canvas', 'kept', types.ToolAnswerRenderedCanvas),
    'list_workspaces': Operation('list_workspaces', 'GET', '/workspaces', 'harmless', types.ListWorkspace, rows=('data',)),
    'create_workspace': Operation('create_workspace', 'POST', '/workspaces', 'kept', types.Workspace),
    'update_workspace': Operation('update_workspace', 'PATCH', '/workspaces/{id}', 'harmless', types.Workspace),
    'list_members': Operation('list_members', 'GET', '/workspaces/{id}/members', 'harmless', types.ListWorkspaceMember, rows=('data',)),
    'put_member': Operation('put_member', 'PUT', '/workspaces/{id}/members/{userId}', 'harmless', types.WorkspaceMember),
    'delete_member': Operation('delete_member', 'DELETE', '/workspaces/{id}/members/{userId}', 'harmless', types.Deleted),
    'read_balances': Operation('read_balances', 'GET', '/balances', 'harmless', types.BalancesAnswer),
    'get_balances': Operation('get_balances', 'POST', '/tools/get_balances', 'harmless', types.ToolAnswerBalancesAnswer),
    'create_key': Operation('create_key', 'POST', '/keys', 'kept', types.CreatedKey),
    'list_keys': Operation('list_keys', 'GET', '/keys', 'harmless', types.ListKey, rows=('data',)),
    'get_key': Operation('get_key', 'GET', '/keys/{keyId}', 'harmless', types.Key),
    'revoke_key': Operation('revoke_key', 'DELETE', '/keys/{keyId}', 'harmless', types.Deleted),
    'list_audit': Operation('list_audit', 'GET', '/audit', 'harmless', types.ListAccountChange, rows=('data',)),
    'redeem_session': Operation('redeem_session', 'POST', '/sessions/redeem', 'harmless', types.SessionTokenAnswer),
    'create_upload': Operation('create_upload', 'POST', '/uploads', 'kept', types.Upload),
    'get_upload': Operation('get_upload', 'GET', '/uploads/{id}', 'harmless', types.UploadDetail),
    'complete_upload': Operation('complete_upload', 'POST', '/uploads/{id}/complete', 'harmless', types.LibraryItem),
    'list_library_items': Operation('list_library_items', 'GET', '/library/items', 'harmless', types.ListLibraryItem, rows=('data',)),
    'get_library_item': Operation('get_library_item', 'GET', '/library/items/{id}', 'harmless', types.LibraryItem),
    'update_library_item': Operation('update_library_item', 'PATCH', '/library/items/{id}', 'harmless', types.LibraryItem),
    'delete_library_item': Operation('delete_library_item', 'DELETE', '/library/items/{id}', 'harmless', types.Deleted),
    'get_stored_read': Operation('get_stored_read', 'GET', '/library/items/{id}/reads/{read}', 'harmless', None, texts=True),
    'lease_library_item': Operation('lease_library_item', 'POST', '/library/items/{id}/lease', 'harmless', types.Lease),
    'end_library_item_lease': Operation('end_library_item_lease', 'DELETE', '/library/items/{id}/lease', 'harmless', types.Deleted),
    'create_webhook': Operation('create_webhook', 'POST', '/webhooks', 'kept', types.Webhook),
    'list_webhooks': Operation('list_webhooks', 'GET', '/webhooks', 'harmless', types.ListWebhook, rows=('data',)),
    'get_webhook': Operation('get_webhook', 'GET', '/webhooks/{id}', 'harmless', types.Webhook),
    'update_webhook': Operation('update_webhook', 'PATCH', '/webhooks/{id}', 'harmless', types.Webhook),
    'delete_webhook': Operation('delete_webhook', 'DELETE', '/webhooks/{id}', 'harmless', types.Deleted),
    'list_deliveries': Operation('list_deliveries', 'GET', '/webhooks/{id}/deliveries', 'harmless', types.ListDelivery, rows=('data',)),
    'resend_delivery': Operation('resend_delivery', 'POST', '/webhooks/{id}/deliveries', 'refused', types.Resent),
    'get_delivery': Operation('get_delivery', 'GET', '/webhooks/{id}/deliveries/{delivery_id}', 'harmless', types.DeliveryDetail),
    'get_webhook_secret': Operation('get_webhook_secret', 'GET', '/webhook-secret', 'harmless', types.Secret),
    'create_webhook_secret': Operation('create_webhook_secret', 'POST', '/webhook-secret', 'harmless', types.Secret),
    'delete_webhook_secret': Operation('delete_webhook_secret', 'DELETE', '/webhook-secret', 'harmless', types.Deleted),
    'create_project': Operation('create_project', 'POST', '/projects', 'kept', types.Project),
    'list_projects': Operation('list_projects', 'GET', '/projects', 'harmless', types.ListListedProject, rows=('data',)),
    'get_project': Operation('get_project', 'GET', '/projects/{id}', 'harmless', types.Project),
    'delete_project': Operation('delete_project', 'DELETE', '/projects/{id}', 'harmless', types.Deleted),
    'update_project_settings': Operation('update_project_settings', 'PATCH', '/projects/{id}/settings', 'harmless', types.ProjectSettings),
    'change_project_status': Operation('change_project_status', 'POST', '/projects/{id}/status', 'harmless', types.Project),
    'cancel_project': Operation('cancel_project', 'POST', '/projects/{id}/cancel', 'harmless', types.Project),
    'list_project_deliveries': Operation('list_project_deliveries', 'GET', '/projects/{id}/deliveries', 'harmless', types.ListProjectDelivery, rows=('data',)),
    'say_to_project': Operation('say_to_project', 'POST', '/projects/{id}/messages', 'kept', types.Project),
    'list_project_steps': Operation('list_project_steps', 'GET', '/projects/{id}/log', 'harmless', types.ListProjectStep, rows=('data',)),
    'list_events': Operation('list_events', 'GET', '/events', 'harmless', types.ListJobEvent, rows=('data',)),
    'get_event': Operation('get_event', 'GET', '/events/{id}', 'harmless', types.AnyEvent),
    'operator_create_account': Operation('operator_create_account', 'POST', '/operator/accounts', 'refused', types.OpenedAccount),
    'operator_list_accounts': Operation('operator_list_accounts', 'GET', '/operator/accounts', 'harmless', types.ListOperatorAccount, rows=('data',)),
    'operator_get_account': Operation('operator_get_account', 'GET', '/operator/accounts/{id}', 'harmless', types.AccountDetail),
    'operator_update_account': Operation('operator_update_account', 'PATCH', '/operator/accounts/{id}', 'harmless', types.OperatorAccount),
    'operator_forgive_processor_time': Operation('operator_forgive_processor_time', 'DELETE', '/operator/accounts/{id}/unpaid-processor-time', 'harmless', types.AccountDetail),
    'operator_suspend_account': Operation('operator_suspend_account', 'POST', '/operator/accounts/{id}/suspend', 'harmless', types.SuspendedAccount),
    'operator_resume_account': Operation('operator_resume_account', 'POST', '/operator/accounts/{id}/resume', 'harmless', types.OperatorAccount),
    'operator_list_keys': Operation('operator_list_keys', 'GET', '/operator/keys', 'harmless', types.ListOperatorKey, rows=('data',)),
    'operator_create_key': Operation('operator_create_key', 'POST', '/operator/accounts/{id}/keys', 'refused', types.CreatedKey),
    'operator_revoke_key': Operation('operator_revoke_key', 'DELETE', '/operator/keys/{id}', 'harmless', types.Deleted),
    'operator_erase_account': Operation('operator_erase_account', 'POST', '/operator/accounts/{id}/erase', 'harmless', types.ErasedAnswer),
    'operator_erase_workspace': Operation('operator_erase_workspace', 'POST', '/operator/workspaces/{id}/erase', 'harmless', types.ErasedAnswer),
    'operator_erase_item': Operation('operator_erase_item', 'POST', '/operator/items/{id}/erase', 'harmless', types.ErasedAnswer),
    'operator_create_user': Operation('operator_create_user', 'POST', '/operator/users', 'refused', types.OperatorUser),
    'operator_list_users': Operation('operator_list_users', 'GET', '/operator/users', 'harmless', types.ListOperatorUser, rows=('data',)),
    'operator_update_user': Operation('operator_update_user', 'PATCH', '/operator/users/{id}', 'harmless', types.OperatorUser),
    'operator_create_workspace': Operation('operator_create_workspace', 'POST', '/operator/workspaces', 'refused', types.OperatorWorkspace),
    'operator_list_workspaces': Operation('operator_list_workspaces', 'GET', '/operator/workspaces', 'harmless', types.ListOperatorWorkspace, rows=('data',)),
    'operator_update_workspace': Operation('operator_update_workspace', 'PATCH', '/operator/workspaces/{id}', 'harmless', types.OperatorWorkspace),
    'operator_put_member': Operation('operator_put_member', 'POST', '/operator/members', 'harmless', types.OperatorMember),
    'operator_list_members': Operation('operator_list_members', 'GET', '/operator/members', 'harmless', types.ListOperatorMember, rows=('data',)),
    'operator_delete_member': Operation('operator_delete_member', 'DELETE', '/operator/members/{workspaceId}/{userId}', 'harmless', types.Deleted),
    'operator_give_minutes': Operation('operator_give_minutes', 'POST', '/operator/accounts/{id}/minutes', 'refused', types.GivenMinutes),
    'operator_give_credits': Operation('operator_give_credits', 'POST', '/operator/accounts/{id}/credits', 'refused', types.GivenCredits),
    'operator_list_reads': Operation('operator_list_reads', 'GET', '/operator/reads', 'harmless', types.OperatorReadList),
    'operator_update_read': Operation('operator_update_read', 'PATCH', '/operator/reads/{read}', 'harmless', types.OperatorRead),
    'operator_list_jobs': Operation('operator_list_jobs', 'GET', '/operator/jobs', 'harmless', types.ListOperatorJob, rows=('data',)),
    'operator_get_job': Operation('operator_get_job', 'GET', '/operator/jobs/{id}', 'harmless', types.OperatorJob),
    'operator_cancel_job': Operation('operator_cancel_job', 'POST', '/operator/jobs/{id}/cancel', 'harmless', types.OperatorJob),
    'operator_retry_job': Operation('operator_retry_job', 'POST', '/operator/jobs/{id}/retry', 'harmless', types.PreparedRead),
    'operator_list_deliveries': Operation('operator_list_deliveries', 'GET', '/operator/deliveries', 'harmless', types.ListDelivery, rows=('data',)),
    'operator_get_delivery': Operation('operator_get_delivery', 'GET', '/operator/deliveries/{id}', 'harmless', types.DeliveryDetail),
    'operator_resend_deliveries': Operation('operator_resend_deliveries', 'POST', '/operator/deliveries/resend', 'harmless', types.ResentAll),
    'operator_resend_delivery': Operation('operator_resend_delivery', 'POST', '/operator/deliveries/{id}/resend', 'refused', types.Delivery),
    'operator_list_webhooks': Operation('operator_list_webhooks', 'GET', '/operator/webhooks', 'harmless', types.ListListedWebhook, rows=('data',)),
    'operator_update_webhook': Operation('operator_update_webhook', 'PATCH', '/operator/webhooks/{id}', 'harmless', types.OperatorWebhook),
    'operator_start_bulk_operation': Operation('operator_start_bulk_operation', 'POST', '/operator/bulk-operations', 'harmless', types.BulkOperationAnswer),
    'operator_list_bulk_operations': Operation('operator_list_bulk_operations', 'GET', '/operator/bulk-operations', 'harmless', types.ListBulkOperationAnswer, rows=('data',)),
    'operator_count_failed_reads': Operation('operator_count_failed_reads', 'GET', '/operator/failed-reads', 'harmless', types.FailedReads),
    'operator_get_bulk_operation': Operation('operator_get_bulk_operation', 'GET', '/operator/bulk-operations/{id}', 'harmless', types.BulkOperationAnswer),
    'operator_stop_bulk_operation': Operation('operator_stop_bulk_operation', 'POST', '/operator/bulk-operations/{id}/stop', 'harmless', types.BulkOperationAnswer),
    'operator_list_audit': Operation('operator_list_audit', 'GET', '/operator/audit', 'harmless', types.ListAuditEntry, rows=('data',)),
    'operator_get_report': Operation('operator_get_report', 'GET', '/operator/report', 'harmless', types.HealthReport),
    'operator_list_errors': Operation('operator_list_errors', 'GET', '/operator/errors', 'harmless', types.OperatorErrorList),
    'operator_get_retention': Operation('operator_get_retention', 'GET', '/operator/retention', 'harmless', types.RetentionAnswer),
    'operator_get_statement': Operation('operator_get_statement', 'GET', '/operator/accounts/{id}/statement', 'harmless', types.StatementAnswer, rows=('data',)),
    'operator_create_console_link': Operation('operator_create_console_link', 'POST', '/operator/console-links', 'refused', types.ConsoleLink),
    'operator_create_portal_session': Operation('operator_create_portal_session', 'POST', '/operator/accounts/{id}/portal-sessions', 'refused', types.PortalSession),
    'create_portal_session': Operation('create_portal_session', 'POST', '/portal-sessions', 'refused', types.PortalSession),
    'get_statement': Operation('get_statement', 'GET', '/statement', 'harmless', types.StatementAnswer, rows=('data',)),
}
"""What each operation is on the wire."""


class Discovery(Group):
    """The operations of `discovery`."""

    __slots__ = ()

    def list_tools(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolList:
        """Every tool with its description and the schema of its body."""
        return self._client.call(OPERATIONS['list_tools'], workspace_id=workspace_id, timeout=timeout)


class Library(Group):
    """The operations of `library`."""

    __slots__ = ()

    def prepare_media(
        self,
        *,
        refs: Sequence[str],
        reads: Sequence[types.ReadKind],
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPreparedMedia:
        """Starts several reads on up to 20 library items in one call, each as its own job (contract §4.2). A stored read is
        `ready`, and one that a job computes already is `queued` with that job; the others start, or say why not. A
        repeated call starts nothing twice. Follow the jobs with `get_jobs`. Runs in the cloud: the estimate is held
        until each job ends, and a job is never charged more than was held for it. With `dry_run: true` nothing is
        started: reads that would start are `startable`, with their price."""
        return self._client.call(OPERATIONS['prepare_media'], body={'refs': refs, 'reads': reads}, maybe={'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_items(
        self,
        *,
        query: str | None = None,
        type: types.LibraryItemType | None = None,
        status: types.LibraryItemStatus | None = None,
        has_read: types.ReadKind | None = None,
        missing_read: types.ReadKind | None = None,
        tag: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        board_id: str | None = None,
        sort: types.LibraryItemSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include: Sequence[types.LibraryItemInclude] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.LibraryItem]:
        """Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters a page
        may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by more
        (`has_more`). A cursor is valid for one `sort` only."""
        return self._client.pages(OPERATIONS['list_items'], body={}, maybe={'query': query, 'type': type, 'status': status, 'has_read': has_read, 'missing_read': missing_read, 'tag': tag, 'created_after': created_after, 'created_before': created_before, 'board_id': board_id, 'sort': sort, 'limit': limit, 'cursor': cursor, 'include': include}, workspace_id=workspace_id, timeout=timeout)

    def get_item(
        self,
        *,
        ref: str,
        wait_seconds: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerItemAnswer:
        """Returns its status, its type, the reads stored on it and, once it is ready, a link to its media. `wait_seconds` makes
        it a long poll: after an upload or an import, call again until it is `ready` or `failed`."""
        return self._client.call(OPERATIONS['get_item'], body={'ref': ref}, maybe={'wait_seconds': wait_seconds}, workspace_id=workspace_id, timeout=timeout)

    def update_item(
        self,
        *,
        ref: str,
        name: str | None = None,
        new_ref: str | None = None,
        tags: Sequence[str] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerItemAnswer:
        """Changes its name, its ref (`new_ref`) or its tags. Absent fields keep their values."""
        return self._client.call(OPERATIONS['update_item'], body={'ref': ref}, maybe={'name': name, 'new_ref': new_ref, 'tags': tags}, workspace_id=workspace_id, timeout=timeout)

    def import_media(
        self,
        *,
        url: str,
        name: str | None = None,
        ref: str | None = None,
        reads: Sequence[types.ReadKind] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerItemAnswer:
        """Starts the fetch and returns the item in `processing`; `get_item` says when it is `ready` or `failed`."""
        return self._client.call(OPERATIONS['import_media'], body={'url': url}, maybe={'name': name, 'ref': ref, 'reads': reads}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_item(
        self,
        *,
        ref: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedItem:
        """Cancels its queued jobs, asks its running ones to stop, and frees the ref."""
        return self._client.call(OPERATIONS['delete_item'], body={'ref': ref}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def transcribe_media(
        self,
        *,
        ref: str,
        format: types.ReadFormat | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTranscriptAnswer:
        """Returns the text that is spoken in an item, in segments and words with their times. A stored transcript is returned at
        no charge. If there is none, its job is started, or joined if it is live already: the answer is `queued` with
        its `job_id`; follow that with `get_jobs` and call again. Needs audio. A `quality` of `draft` means that a
        person should check it. With `format` it is returned as plain text, or as captions: cues of at most two lines
        of 42 characters and 7 s."""
        return self._client.call(OPERATIONS['transcribe_media'], body={'ref': ref}, maybe={'format': format, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def speakers(
        self,
        *,
        ref: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSpeakersAnswer:
        """Returns who speaks when in an item, and the speech read that this builds on. A stored read is returned at no charge.
        If there is none, its job is started, or joined if it is live already: the answer is `queued` with its
        `job_id`; follow that with `get_jobs` and call again. Needs audio. Speakers are named `A`, `B`, … within one
        item."""
        return self._client.call(OPERATIONS['speakers'], body={'ref': ref}, maybe={'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def detect_beats(
        self,
        *,
        ref: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBeatsAnswer:
        """Returns the beats of an item, those that begin a bar, and its tempo. A stored read is returned at no charge. If there
        is none, its job is started, or joined if it is live already: the answer is `queued` with its `job_id`; follow
        that with `get_jobs` and call again. Needs at least two seconds of audio."""
        return self._client.call(OPERATIONS['detect_beats'], body={'ref': ref}, maybe={'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def remove_silence(
        self,
        *,
        ref: str,
        min_silence_ms: int | None = None,
        padding_ms: int | None = None,
        render: bool | None = None,
        timeline: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSilenceAnswer:
        """Computes which parts of an item to keep so that its long silences are removed, from its speech. A silence shorter than
        `min_silence_ms` stays, and so do `padding_ms` on each side of speech; values that the call does not give come
        from the workspace's settings. Cuts in a video are on its frames. If nobody speaks, nothing is kept. With
        `render: true` a job makes a new item of what is kept; while its item exists, the same render is not made
        again. A stored speech read is used at no charge; if there is none, its job is started or joined, and the
        answer is `queued` without `keep`: follow `job_id` with `get_jobs` and call again."""
        return self._client.call(OPERATIONS['remove_silence'], body={'ref': ref}, maybe={'min_silence_ms': min_silence_ms, 'padding_ms': padding_ms, 'render': render, 'timeline': timeline, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def duck_music(
        self,
        *,
        voice_ref: str,
        music_ref: str,
        duck_db: float | None = None,
        attack_ms: int | None = None,
        release_ms: int | None = None,
        render: bool | None = None,
        timeline: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDuckAnswer:
        """Computes how far to turn music down while a voice speaks over it: an envelope of gains, linear in decibels between its
        points. Under speech the music is down by `duck_db`; the fall ends when speech starts, the rise starts when it
        ends, and elsewhere the gain is 0. With `render: true` a job mixes both into a new item: as long as the voice,
        with its picture if it has one, and limited so that it never clips. A stored speech read of the voice is used
        at no charge; if there is none, its job is started or joined, and the answer is `queued` without `envelope`:
        follow `job_id` with `get_jobs` and call again."""
        return self._client.call(OPERATIONS['duck_music'], body={'voice_ref': voice_ref, 'music_ref': music_ref}, maybe={'duck_db': duck_db, 'attack_ms': attack_ms, 'release_ms': release_ms, 'render': render, 'timeline': timeline, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def search_footage(
        self,
        *,
        query: str,
        refs: Sequence[str] | None = None,
        limit: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerFootageMatches:
        """Finds words that are spoken in videos and recordings, by their stored transcripts, and words that are written in the
        pictures of videos, by their stored search indexes, at no charge; `source` says which. A match of spoken words
        has their time range, narrowed to the phrase; one of written words, the time for which they are shown. If the
        video's search index is stored, it also has the moment (shot) that it begins in, and a still of it. A score of
        1 is the exact phrase; from 0.5 on all words are there; below that words are similar, which tolerates typing
        and transcription errors in queries of up to 16 words. English words are found in all their forms. No match is
        an empty list; items that could not be searched are named."""
        return self._client.call(OPERATIONS['search_footage'], body={'query': query}, maybe={'refs': refs, 'limit': limit}, workspace_id=workspace_id, timeout=timeout)

    def create_board(
        self,
        *,
        name: str,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """Creates a board whose columns of cards plan the work on items. It begins without columns: `edit_board` adds them. A
        workspace has at most 200 boards."""
        return self._client.call(OPERATIONS['create_board'], body={'name': name}, maybe={}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_boards(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedBoard]:
        """Newest first, without their cards."""
        return self._client.pages(OPERATIONS['list_boards'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_board(
        self,
        *,
        board_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """With its columns and cards. A card whose item is deleted says so."""
        return self._client.call(OPERATIONS['get_board'], body={'board_id': board_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def edit_board(
        self,
        *,
        board_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.BoardOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """Changes its name, its columns or its cards: `ops` are applied in order, all of them or none, and a refusal names the
        one that can't be applied. The last 50 changes can be undone with `undo_board`."""
        return self._client.call(OPERATIONS['edit_board'], body={'board_id': board_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def undo_board(
        self,
        *,
        board_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """Restores what the board was before its latest change, as a new revision. Repeat it to undo the change before."""
        return self._client.call(OPERATIONS['undo_board'], body={'board_id': board_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_board(
        self,
        *,
        board_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedBoard:
        """Its history is deleted too. The items that its cards are about stay."""
        return self._client.call(OPERATIONS['delete_board'], body={'board_id': board_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def add_comment(
        self,
        *,
        ref: str,
        text: str,
        at: float | None = None,
        until: float | None = None,
        region: types.CommentRegion | Mapping[str, Any] | None = None,
        reply_to: str | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCommentAnswer:
        """A comment is about the whole, a time, or a stretch, and may be about a part of the picture. Each item and each
        timeline has at most 10,000 comments, which are deleted with it. A comment on a timeline keeps its time when
        scenes before it change."""
        return self._client.call(OPERATIONS['add_comment'], body={'ref': ref, 'text': text}, maybe={'at': at, 'until': until, 'region': region, 'reply_to': reply_to}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_comments(
        self,
        *,
        ref: str,
        resolved: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.Comment]:
        """Newest first, including replies."""
        return self._client.pages(OPERATIONS['list_comments'], body={'ref': ref}, maybe={'resolved': resolved, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def update_comment(
        self,
        *,
        comment_id: str,
        text: str | None = None,
        resolved: bool | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCommentAnswer:
        """Changes its text, which only its author may do, or whether it is resolved. Absent fields keep their values."""
        return self._client.call(OPERATIONS['update_comment'], body={'comment_id': comment_id}, maybe={'text': text, 'resolved': resolved}, workspace_id=workspace_id, timeout=timeout)

    def delete_comment(
        self,
        *,
        comment_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedComment:
        """The replies to it are deleted too."""
        return self._client.call(OPERATIONS['delete_comment'], body={'comment_id': comment_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def create_public_link(
        self,
        *,
        ref: str,
        expires_in: int | None = None,
        rights: Sequence[types.LinkRight] | None = None,
        passphrase: str | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCreatedPublicLink:
        """Makes a page that shows one item to whoever has its URL, until the link expires or is revoked, or the item is deleted:
        the media, its waveform and its transcript if those reads are stored, and its comments if `rights` allows
        them. The link works no longer than its maker could: it ends with their key, or their membership of the
        workspace. A script session's token can't make links."""
        return self._client.call(OPERATIONS['create_public_link'], body={'ref': ref}, maybe={'expires_in': expires_in, 'rights': rights, 'passphrase': passphrase}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_public_links(
        self,
        *,
        ref: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.PublicLink]:
        """The workspace's links, newest first, without their URLs. Links that ended are kept as long as ended jobs."""
        return self._client.pages(OPERATIONS['list_public_links'], body={}, maybe={'ref': ref, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def revoke_public_link(
        self,
        *,
        link_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPublicLinkAnswer:
        """It stops working at once, also for those who have its page open."""
        return self._client.call(OPERATIONS['revoke_public_link'], body={'link_id': link_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def list_library_items(
        self,
        *,
        query: str | None = None,
        type: types.LibraryItemType | None = None,
        status: types.LibraryItemStatus | None = None,
        has_read: types.ReadKind | None = None,
        missing_read: types.ReadKind | None = None,
        tag: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        board_id: str | None = None,
        sort: types.LibraryItemSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include: Sequence[types.LibraryItemInclude] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.LibraryItem]:
        """Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters a page
        may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by more
        (`has_more`). A cursor is valid for one `sort` only."""
        return self._client.pages(OPERATIONS['list_library_items'], query={'query': query, 'type': type, 'status': status, 'has_read': has_read, 'missing_read': missing_read, 'tag': tag, 'created_after': created_after, 'created_before': created_before, 'board_id': board_id, 'sort': sort, 'limit': limit, 'cursor': cursor, 'include': include}, workspace_id=workspace_id, timeout=timeout)

    def get_library_item(
        self,
        id: str,
        *,
        wait_seconds: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.LibraryItem:
        """Finds it by its id, its ref, or the id of the job that made it (contract §2, "Library item")."""
        return self._client.call(OPERATIONS['get_library_item'], path={'id': id}, query={'wait_seconds': wait_seconds}, workspace_id=workspace_id, timeout=timeout)

    def update_library_item(
        self,
        id: str,
        *,
        name: str | None = None,
        ref: str | None = None,
        tags: Sequence[str] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.LibraryItem:
        """Changes its name, its ref or its tags. Absent fields keep their values."""
        return self._client.call(OPERATIONS['update_library_item'], path={'id': id}, body={}, maybe={'name': name, 'ref': ref, 'tags': tags}, workspace_id=workspace_id, timeout=timeout)

    def delete_library_item(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Cancels its queued jobs, asks its running ones to stop, and frees the ref. The bytes are deleted once no job reads
        them."""
        return self._client.call(OPERATIONS['delete_library_item'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def get_stored_read(
        self,
        id: str,
        read: str,
        *,
        format: types.ReadFormat | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Returns the read that a job stored on the item, at no charge. A transcript is also returned as text: `format=txt`, or
        as captions: `format=srt` and `format=vtt`, in cues of at most two lines of 42 characters and 7 s that never
        overlap, with the speakers' names where those are stored."""
        return self._client.call(OPERATIONS['get_stored_read'], path={'id': id, 'read': read}, query={'format': format}, workspace_id=workspace_id, timeout=timeout)

    def lease_library_item(
        self,
        id: str,
        *,
        seconds: int,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Lease:
        """For a computer that reads the item itself: until the lease ends, `prepare_media` answers `held` with the reason
        `reading_on_computer`."""
        return self._client.call(OPERATIONS['lease_library_item'], path={'id': id}, body={'seconds': seconds}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def end_library_item_lease(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Stop holding an item's reads back"""
        return self._client.call(OPERATIONS['end_library_item_lease'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)


class Workspace(Group):
    """The operations of `workspace`."""

    __slots__ = ()

    def get_jobs(
        self,
        *,
        job_ids: Sequence[str] | None = None,
        status: Sequence[types.JobStatusWord] | None = None,
        kind: Sequence[types.JobKindWord] | None = None,
        ref: str | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        wait_seconds: int | None = None,
        wait_for: types.WaitFor | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.JobAnswer]:
        """Returns the jobs named by `job_ids` (up to 200: one `prepare_media` can start 120), or the workspace's jobs that match
        the filters, newest first. `wait_seconds` makes it a long poll: to follow jobs, call again with the same
        `job_ids` and `wait_for: "all"` until none is `queued` or `running`. A finished job reports `cloud_minutes`."""
        return self._client.pages(OPERATIONS['get_jobs'], body={}, maybe={'job_ids': job_ids, 'status': status, 'kind': kind, 'ref': ref, 'created_after': created_after, 'cursor': cursor, 'limit': limit, 'wait_seconds': wait_seconds, 'wait_for': wait_for}, workspace_id=workspace_id, timeout=timeout)

    def cancel_jobs(
        self,
        *,
        job_ids: Sequence[str],
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCancelJobsAnswer:
        """A queued job is cancelled at once and its hold freed; a running one is asked to stop and ends as `cancelled` within
        seconds, charged nothing. One that has already ended does not change. Events of stopped jobs are sent at the
        account's request rate; while more of them wait than one burst allows, no jobs are started."""
        return self._client.call(OPERATIONS['cancel_jobs'], body={'job_ids': job_ids}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def read_overview(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.OverviewAnswer:
        """What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble."""
        return self._client.call(OPERATIONS['read_overview'], workspace_id=workspace_id, timeout=timeout)

    def get_overview(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerOverviewAnswer:
        """What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble."""
        return self._client.call(OPERATIONS['get_overview'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def get_brand_kit(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBrandKitAnswer:
        """The workspace's named colours, fonts and logos, its tone of voice, and its caption style. `families` are the font
        families that a font may have."""
        return self._client.call(OPERATIONS['get_brand_kit'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def update_brand_kit(
        self,
        *,
        if_revision: int | None = None,
        colors: Sequence[types.BrandColor | Mapping[str, Any]] | None = None,
        fonts: Sequence[types.BrandFont | Mapping[str, Any]] | None = None,
        logos: Sequence[types.LogoToSet | Mapping[str, Any]] | None = None,
        voice: str | None = None,
        caption_style: types.CaptionStyle | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBrandKitAnswer:
        """Makes all the changes or none. Whatever uses an entry of the kit by name uses its current value: the pages of public
        links show its first colour. The last 50 changes can be undone with `undo_brand_kit`."""
        return self._client.call(OPERATIONS['update_brand_kit'], body={}, maybe={'if_revision': if_revision, 'colors': colors, 'fonts': fonts, 'logos': logos, 'voice': voice, 'caption_style': caption_style}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def undo_brand_kit(
        self,
        *,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBrandKitAnswer:
        """Restores what the kit was before its latest change, as a new revision. Repeat it to undo the change before. The first
        change is not undone: null, or an empty list, removes what it set."""
        return self._client.call(OPERATIONS['undo_brand_kit'], body={}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def add_calendar_entry(
        self,
        *,
        title: str,
        starts_at: str | datetime,
        ends_at: str | datetime | None = None,
        refs: Sequence[str] | None = None,
        channel: str | None = None,
        note: str | None = None,
        status: types.CalendarStatus | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCalendarEntryAnswer:
        """Adds an entry: what is planned, when, and which items it is about. The calendar only plans; it publishes nothing, and
        nothing happens when the time comes. A workspace has at most 5,000 entries."""
        return self._client.call(OPERATIONS['add_calendar_entry'], body={'title': title, 'starts_at': starts_at}, maybe={'ends_at': ends_at, 'refs': refs, 'channel': channel, 'note': note, 'status': status}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_calendar(
        self,
        *,
        from_: str | datetime | None = None,
        to: str | datetime | None = None,
        status: types.CalendarStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.CalendarEntry]:
        """Lists what is planned between two times, earliest first, with entries that began earlier and still go on."""
        return self._client.pages(OPERATIONS['list_calendar'], body={}, maybe={'from': from_, 'to': to, 'status': status, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def update_calendar_entry(
        self,
        *,
        entry_id: str,
        title: str | None = None,
        starts_at: str | datetime | None = None,
        ends_at: str | datetime | None = None,
        refs: Sequence[str] | None = None,
        channel: str | None = None,
        note: str | None = None,
        status: types.CalendarStatus | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCalendarEntryAnswer:
        """Changes the fields that are given; absent ones keep their values. `refs` replaces all of the entry's items."""
        return self._client.call(OPERATIONS['update_calendar_entry'], body={'entry_id': entry_id}, maybe={'title': title, 'starts_at': starts_at, 'ends_at': ends_at, 'refs': refs, 'channel': channel, 'note': note, 'status': status}, workspace_id=workspace_id, timeout=timeout)

    def delete_calendar_entry(
        self,
        *,
        entry_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedCalendarEntry:
        """The items that it is about stay."""
        return self._client.call(OPERATIONS['delete_calendar_entry'], body={'entry_id': entry_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def create_calendar_feed(
        self,
        *,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCreatedCalendarFeed:
        """A secret URL by which calendar programs show the workspace's calendar (iCalendar, RFC 5545): the entries of the last
        90 days and those to come, 1,000 at most. Whoever has it reads them until it is revoked. A workspace has at
        most 20."""
        return self._client.call(OPERATIONS['create_calendar_feed'], body={}, maybe={}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_calendar_feeds(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCalendarFeedList:
        """The feeds that work, newest first, without their URLs."""
        return self._client.call(OPERATIONS['list_calendar_feeds'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def revoke_calendar_feed(
        self,
        *,
        feed_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerRevokedCalendarFeed:
        """Its URL stops working at once. Programs keep what they have already read."""
        return self._client.call(OPERATIONS['revoke_calendar_feed'], body={'feed_id': feed_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def get_settings(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSettingsAnswer:
        """The defaults of its tools, for calls that don't say otherwise."""
        return self._client.call(OPERATIONS['get_settings'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def update_settings(
        self,
        *,
        if_revision: int | None = None,
        name: str | None = None,
        default_language: str | None = None,
        reads_on_import: Sequence[types.ReadKind] | None = None,
        min_silence_ms: int | None = None,
        padding_ms: int | None = None,
        duck_db: float | None = None,
        caption_style: types.CaptionStyle | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSettingsAnswer:
        """They apply from the next call on; a call may still say otherwise. `reads_on_import` start as if the uploader had
        requested them, and cost the same. The last 50 changes can be undone with `undo_settings`."""
        return self._client.call(OPERATIONS['update_settings'], body={}, maybe={'if_revision': if_revision, 'name': name, 'default_language': default_language, 'reads_on_import': reads_on_import, 'min_silence_ms': min_silence_ms, 'padding_ms': padding_ms, 'duck_db': duck_db, 'caption_style': caption_style}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def undo_settings(
        self,
        *,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSettingsAnswer:
        """Restores what the settings were before their latest change, as a new revision. Repeat it to undo the change before.
        The first change is not undone: null, or an empty list, restores the service's default."""
        return self._client.call(OPERATIONS['undo_settings'], body={}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def save_skill(
        self,
        *,
        name: str,
        text: str,
        description: str | None = None,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSkillAnswer:
        """Saves instructions for whoever works in the workspace: agents list skills and read those that fit. A skill of the same
        name is replaced; the last 50 changes can be undone with `undo_skill`. Over MCP skills are prompts too. A
        workspace has at most 200."""
        return self._client.call(OPERATIONS['save_skill'], body={'name': name, 'text': text}, maybe={'description': description, 'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_skills(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedSkill]:
        """Newest first, without their text."""
        return self._client.pages(OPERATIONS['list_skills'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_skill(
        self,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSkillAnswer:
        """With its text, as Markdown."""
        return self._client.call(OPERATIONS['get_skill'], body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def undo_skill(
        self,
        *,
        name: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSkillAnswer:
        """Restores what the skill was before its latest change, as a new revision. Repeat it to undo the change before. A first
        save is not undone: `delete_skill` deletes the skill."""
        return self._client.call(OPERATIONS['undo_skill'], body={'name': name}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_skill(
        self,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedSkill:
        """Its history is deleted too, and its name becomes free."""
        return self._client.call(OPERATIONS['delete_skill'], body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def save_template(
        self,
        *,
        name: str,
        tool: str,
        arguments: Mapping[str, Any],
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTemplateAnswer:
        """Saves a tool's arguments under a name, to run again and again. They are checked against the tool's schema; required
        arguments may be left to the run. A template of the same name is replaced; the last 50 changes can be undone
        with `undo_template`. A workspace has at most 200."""
        return self._client.call(OPERATIONS['save_template'], body={'name': name, 'tool': tool, 'arguments': arguments}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_templates(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedTemplate]:
        """Newest first, without their arguments."""
        return self._client.pages(OPERATIONS['list_templates'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def run_template(
        self,
        *,
        name: str,
        overrides: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerFields:
        """Calls the template's tool with its arguments, some replaced by `overrides`, and returns the tool's answer. It is a
        call of that tool: who may make it, its price, its refusals and its Idempotency-Key are the tool's."""
        return self._client.call(OPERATIONS['run_template'], body={'name': name}, maybe={'overrides': overrides}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def undo_template(
        self,
        *,
        name: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTemplateAnswer:
        """Restores what the template was before its latest change, as a new revision. Repeat it to undo the change before. A
        first save is not undone: `delete_template` deletes the template."""
        return self._client.call(OPERATIONS['undo_template'], body={'name': name}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_template(
        self,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedTemplate:
        """Its history is deleted too, and its name becomes free."""
        return self._client.call(OPERATIONS['delete_template'], body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def create_project(
        self,
        *,
        brief: str,
        mode: types.ProjectMode | None = None,
        output_type: types.ProjectOutputType | None = None,
        webhook_url: str | None = None,
        budget: types.ProjectBudget | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """Creates it in the workspace that the call acts in. With the mode `autonomous` it begins as `running`, and an agent
        makes what the brief asks for from the workspace's footage: the project is `generating` while work that it
        started continues, then `rendering`, and finally `idle` with the film at `assembled_url`; or `failed`. The
        creator pays for it. With `manual` it begins as `idle`. Each status is sent to `webhook_url`."""
        return self._client.call(OPERATIONS['create_project'], body={'brief': brief}, maybe={'mode': mode, 'output_type': output_type, 'webhook_url': webhook_url, 'budget': budget}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_projects(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedProject]:
        """Summaries of the projects of the workspace that the call acts in, newest first."""
        return self._client.pages(OPERATIONS['list_projects'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_project(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """Returns its full state. A webhook is sent once and may be lost: confirm the state here (contract §6.2.5)."""
        return self._client.call(OPERATIONS['get_project'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def delete_project(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Deletes it with the log of its webhooks, whatever its status; no webhook is sent. Its agent's jobs stop, as for a
        cancelled project. A cancelled project is deleted automatically after 30 days."""
        return self._client.call(OPERATIONS['delete_project'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def update_project_settings(
        self,
        id: str,
        *,
        webhook_url: str | None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ProjectSettings:
        """This sends no webhook. A webhook that is already on its way still goes to the old URL. The URL ends with the access of
        whoever sets it: when their key is revoked, or they may no longer edit in the workspace."""
        return self._client.call(OPERATIONS['update_project_settings'], path={'id': id}, body={'webhook_url': webhook_url}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def change_project_status(
        self,
        id: str,
        *,
        status: types.ReportedStatus,
        agent_message: str | None = None,
        assets: Sequence[types.ProjectAsset | Mapping[str, Any]] | None = None,
        timeline: types.ProjectTimeline | Mapping[str, Any] | None = None,
        assembled_url: str | None = None,
        assembled_url_expires_at: str | datetime | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """Called by the agent that works on the project. Each change raises `revision` and is sent to the project's
        `webhook_url`, once. `running` and `generating` lead to each other, to `idle` and to `failed`, `running` to
        `rendering` also; `idle` leads to `running` and `rendering`; `rendering` to `idle` and `failed`; `failed` to
        `running`. Whoever changes the status takes the project over: the service's own agent stops working on it."""
        return self._client.call(OPERATIONS['change_project_status'], path={'id': id}, body={'status': status}, maybe={'agent_message': agent_message, 'assets': assets, 'timeline': timeline, 'assembled_url': assembled_url, 'assembled_url_expires_at': assembled_url_expires_at}, workspace_id=workspace_id, timeout=timeout)

    def cancel_project(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """This is final, and no webhook is sent (contract §6.2.2). The agent stops, and so do the jobs that it started and waits
        for, at no charge; jobs of others that it joined continue."""
        return self._client.call(OPERATIONS['cancel_project'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def list_project_deliveries(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ProjectDelivery]:
        """Lists the webhooks of the project's changes of status, newest first: at most one for each change. Kept for 30 days."""
        return self._client.pages(OPERATIONS['list_project_deliveries'], path={'id': id}, query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def say_to_project(
        self,
        id: str,
        *,
        text: str,
        budget: types.ProjectBudget | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """A project that is `idle` or `failed` becomes `running` again: the agent does its work again with the message, on
        behalf of whoever sends it. Reads are stored by then, and cost nothing again."""
        return self._client.call(OPERATIONS['say_to_project'], path={'id': id}, body={'text': text}, maybe={'budget': budget}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_project_steps(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ProjectStep]:
        """Each call of a tool, oldest first: those for the brief, and for each message since. The steps for the ten messages
        before the latest are kept too."""
        return self._client.pages(OPERATIONS['list_project_steps'], path={'id': id}, query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)


class Account(Group):
    """The operations of `account`."""

    __slots__ = ()

    def get_api_session(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSessionCodeAnswer:
        """Returns a single-use code, valid 10 minutes, that `POST /sessions/redeem` exchanges for a bearer token valid 30
        minutes in this credential's workspace (contract §5.3). Refused for a script session token."""
        return self._client.call(OPERATIONS['get_api_session'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def list_workspaces(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.Workspace]:
        """Lists the workspaces that the credential can reach, with the caller's role in each. An API key or a script session
        reaches one. An OAuth access token reaches those of which its user is a member and into which they let the
        connection."""
        return self._client.pages(OPERATIONS['list_workspaces'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def create_workspace(
        self,
        *,
        name: str,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Workspace:
        """Opens another workspace of the caller's account; only an owner may. A user who opens it becomes its owner; an API key
        still acts in its own workspace only, and `POST /keys` makes one for the new workspace. An account has at most
        100."""
        return self._client.call(OPERATIONS['create_workspace'], body={'name': name}, maybe={}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def update_workspace(
        self,
        id: str,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Workspace:
        """Renames the workspace that the call acts in; only an owner may."""
        return self._client.call(OPERATIONS['update_workspace'], path={'id': id}, body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def list_members(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.WorkspaceMember]:
        """Lists the members of the workspace that the call acts in; only owners may. API keys are not members: each acts as an
        owner in the one workspace that it is bound to."""
        return self._client.pages(OPERATIONS['list_members'], path={'id': id}, query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def put_member(
        self,
        id: str,
        user_id: str,
        *,
        role: types.RoleWord,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.WorkspaceMember:
        """Makes them a member, or changes a member's role. Only users of the workspace's account, or members of one of that
        account's workspaces, can be given a role. The last owner must stay one."""
        return self._client.call(OPERATIONS['put_member'], path={'id': id, 'userId': user_id}, body={'role': role}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def delete_member(
        self,
        id: str,
        user_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """The user's sessions in the workspace end too, and so do the keys to its account that they made. The last owner can't
        be removed."""
        return self._client.call(OPERATIONS['delete_member'], path={'id': id, 'userId': user_id}, workspace_id=workspace_id, timeout=timeout)

    def read_balances(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.BalancesAnswer:
        """Returns the month's cloud minutes, the minutes that are held, purchased minutes, AI credits, and the rates of reads
        and renders."""
        return self._client.call(OPERATIONS['read_balances'], workspace_id=workspace_id, timeout=timeout)

    def get_balances(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBalancesAnswer:
        """The same as `GET /balances`, as a tool."""
        return self._client.call(OPERATIONS['get_balances'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def create_key(
        self,
        *,
        name: str | None = None,
        workspace_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> types.CreatedKey:
        """Returns the key once; only its hash is stored. An account has at most ten keys (contract §5.1). Refused for a script
        session token, and for a workspace that the connection was not let into."""
        return self._client.call(OPERATIONS['create_key'], body={}, maybe={'name': name, 'workspace_id': workspace_id}, idempotency_key=idempotency_key, timeout=timeout)

    def list_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.Key]:
        """The account's live keys, newest first, without the secrets. Refused for a script session token."""
        return self._client.pages(OPERATIONS['list_keys'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_key(
        self,
        key_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Key:
        """Returns a live key, without the secret. Refused for a script session token."""
        return self._client.call(OPERATIONS['get_key'], path={'keyId': key_id}, workspace_id=workspace_id, timeout=timeout)

    def revoke_key(
        self,
        key_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """The key and the sessions made with it stop working at once; jobs that were already dispatched continue. Refused for a
        script session token."""
        return self._client.call(OPERATIONS['revoke_key'], path={'keyId': key_id}, workspace_id=workspace_id, timeout=timeout)

    def list_audit(
        self,
        *,
        action: str | None = None,
        actor: str | None = None,
        target: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.AccountChange]:
        """Lists who made, changed, rotated, revoked, enabled or disabled what, newest first; public links, calendar feeds,
        workspaces and their members are in it too, and links to the portal that operators made. Entries are kept for
        as long as the deployment says (400 days by default). Refused for a script session token."""
        return self._client.pages(OPERATIONS['list_audit'], query={'action': action, 'actor': actor, 'target': target, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def redeem_session(
        self,
        *,
        code: str,
        timeout: float | None = None,
    ) -> types.SessionTokenAnswer:
        """Exchanges a code for a bearer token valid 30 minutes. Takes no `Authorization` header. A code can be redeemed once,
        within 10 minutes; an address may try 10 times at once, and then once in six seconds."""
        return self._client.call(OPERATIONS['redeem_session'], body={'code': code}, maybe={}, timeout=timeout)

    def create_portal_session(
        self,
        *,
        pages: Sequence[types.PortalPage] | None = None,
        return_url: str | None = None,
        refresh_url: str | None = None,
        theme: types.PortalTheme | Mapping[str, Any] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.PortalSession:
        """Makes a link to pages for people of the account: their webhooks, jobs, usage and keys. It can be used once, within ten
        minutes, and signs a browser in for an hour, with its key's rights on those pages; it makes no keys. The
        session ends with the key that made the link, which must be an API key."""
        return self._client.call(OPERATIONS['create_portal_session'], body={}, maybe={'pages': pages, 'return_url': return_url, 'refresh_url': refresh_url, 'theme': theme}, workspace_id=workspace_id, timeout=timeout)

    def get_statement(
        self,
        *,
        month: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.StatementEntry]:
        """Returns what stood before a month, the journal's entries of it, newest first, and what stands after them. `adds_up`
        says whether the account's balances are what its whole journal adds up to."""
        return self._client.pages(OPERATIONS['get_statement'], query={'month': month, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)


class Research(Group):
    """The operations of `research`."""

    __slots__ = ()

    def pull_posts(
        self,
        *,
        url: str,
        limit: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPulledPosts:
        """Fetches the newest posts of a feed (RSS, Atom, JSON Feed), or the one post that a page is (Open Graph, oEmbed). Texts
        are plain. A post is stored once, by its URL; pulled again, it is updated. Posts that nobody keeps
        (`keep_post`) are deleted after 30 days, or once the workspaces of the account have 5,000 posts. A kept post
        changes only when its own source changes, whatever another source says of it. Nothing is fetched behind a
        login."""
        return self._client.call(OPERATIONS['pull_posts'], body={'url': url}, maybe={'limit': limit}, workspace_id=workspace_id, timeout=timeout)

    def list_posts(
        self,
        *,
        query: str | None = None,
        source: str | None = None,
        kept: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.Post]:
        """Lists the posts that were pulled into the workspace, newest first."""
        return self._client.pages(OPERATIONS['list_posts'], body={}, maybe={'query': query, 'source': source, 'kept': kept, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def keep_post(
        self,
        *,
        post_id: str,
        tags: Sequence[str] | None = None,
        import_media: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPostAnswer:
        """The post stays until it is deleted. `import_media: true` imports the first of its media as an item, as `import_media`
        does, with the reads of the workspace's settings; a post whose media was imported before is not imported
        again."""
        return self._client.call(OPERATIONS['keep_post'], body={'post_id': post_id}, maybe={'tags': tags, 'import_media': import_media}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_post(
        self,
        *,
        post_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedPost:
        """An item that was imported from it stays."""
        return self._client.call(OPERATIONS['delete_post'], body={'post_id': post_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)


class Models(Group):
    """The operations of `models`."""

    __slots__ = ()

    def get_models(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ModelList:
        """Lists the built-in engines, and the models of the configured providers, with their prices."""
        return self._client.call(OPERATIONS['get_models'], workspace_id=workspace_id, timeout=timeout)

    def list_models(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerModelPage:
        """The same list as `GET /models`, as a tool."""
        return self._client.call(OPERATIONS['list_models'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def estimate_cost(
        self,
        *,
        tool: str,
        arguments: Mapping[str, Any],
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCostEstimate:
        """Returns the minutes and AI credits that a call of a tool would hold, without making it: what the tool answers to the
        same arguments with `dry_run: true`. A tool that itself costs nothing is not called; what the reads of an
        import will cost is `minutes_per_imported_minute`. What a tool that is called would refuse is refused here
        too."""
        return self._client.call(OPERATIONS['estimate_cost'], body={'tool': tool, 'arguments': arguments}, maybe={}, workspace_id=workspace_id, timeout=timeout)


class Generation(Group):
    """The operations of `generation`."""

    __slots__ = ()

    def generate_image(
        self,
        *,
        prompt: str,
        model: str | None = None,
        width: int | None = None,
        height: int | None = None,
        seed: int | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a picture from a text, by a provider's model, in a job that makes a new item. It is paid for in AI credits, held
        when the job starts and charged when it succeeds, never more than was held. The same call makes the same item
        once: give another `seed` for another picture."""
        return self._client.call(OPERATIONS['generate_image'], body={'prompt': prompt}, maybe={'model': model, 'width': width, 'height': height, 'seed': seed, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def generate_video(
        self,
        *,
        prompt: str,
        ref: str | None = None,
        model: str | None = None,
        seconds: int | None = None,
        width: int | None = None,
        height: int | None = None,
        seed: int | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a film from a text, and from a picture to begin with if `ref` names one, by a provider's model, in a job that
        makes a new item. It is paid for in AI credits as pictures are."""
        return self._client.call(OPERATIONS['generate_video'], body={'prompt': prompt}, maybe={'ref': ref, 'model': model, 'seconds': seconds, 'width': width, 'height': height, 'seed': seed, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def generate_audio(
        self,
        *,
        text: str | None = None,
        prompt: str | None = None,
        voice: str | None = None,
        language: str | None = None,
        model: str | None = None,
        seconds: int | None = None,
        seed: int | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes speech from `text`, or sound such as music from a `prompt`, in a job that makes a new item. Two speech engines
        are built in and cost no AI credits, only minutes of speech; their quality is draft. A text that their voice
        has no sounds for is refused, and `warnings` names letters that it leaves out. Whatever is made so is
        `synthetic`."""
        return self._client.call(OPERATIONS['generate_audio'], body={}, maybe={'text': text, 'prompt': prompt, 'voice': voice, 'language': language, 'model': model, 'seconds': seconds, 'seed': seed, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def upscale_media(
        self,
        *,
        ref: str,
        factor: int,
        model: str | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a new item that is two or four times as wide and as high. `lanczos`, which is built in, resamples and invents
        nothing; it costs minutes as renders do, and no AI credits."""
        return self._client.call(OPERATIONS['upscale_media'], body={'ref': ref, 'factor': factor}, maybe={'model': model, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def cut_out(
        self,
        *,
        ref: str,
        color: str | None = None,
        similarity: int | None = None,
        model: str | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a new item whose background is transparent: a PNG of a picture, a `WebM` with an alpha channel of a film.
        `chroma-key`, which is built in, takes everything close to `color` as background; it costs minutes as renders
        do, and no AI credits."""
        return self._client.call(OPERATIONS['cut_out'], body={'ref': ref}, maybe={'color': color, 'similarity': similarity, 'model': model, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def dub(
        self,
        *,
        target_language: str,
        ref: str | None = None,
        timeline_id: str | None = None,
        timeline_revision: int | None = None,
        source_language: str | None = None,
        script: Sequence[types.ScriptSegment | Mapping[str, Any]] | None = None,
        voices: Sequence[types.SpeakerVoice | Mapping[str, Any]] | None = None,
        keep_background: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubStanding:
        """Translates the speech of an item and speaks it in another language, in a job of kind `dub` that makes a new item, a
        timeline with the new voices as its voiceover, and a dub to edit. It needs the item's `transcript` and
        `speakers` reads: stored ones are used at no charge. If one is missing, its job is started or joined and the
        answer is `queued`: follow `job_id` with `get_jobs` and call again. With `script` neither is needed. Of a
        timeline (`timeline_id`) the film is dubbed, and the new timeline is its variant: a film that is missing is
        rendered first, in the same way. Name `timeline_revision` in each call, so that an edit in between changes
        nothing. If the operator has configured a model for it, that translates, for AI credits (`translator`);
        otherwise a built-in engine does. Built-in engines speak, at draft quality: listen to the result, and change
        it with `edit_dub`. The same call makes the same dub once, until the dub or its item is deleted."""
        return self._client.call(OPERATIONS['dub'], body={'target_language': target_language}, maybe={'ref': ref, 'timeline_id': timeline_id, 'timeline_revision': timeline_revision, 'source_language': source_language, 'script': script, 'voices': voices, 'keep_background': keep_background, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_dubs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedDub]:
        """Newest first, without their segments."""
        return self._client.pages(OPERATIONS['list_dubs'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_dub(
        self,
        *,
        dub_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubAnswer:
        """With all its segments, what was last spoken, and whether it was changed since. `warnings` names what its voices leave
        out."""
        return self._client.call(OPERATIONS['get_dub'], body={'dub_id': dub_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def edit_dub(
        self,
        *,
        dub_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.DubOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubAnswer:
        """Changes its name or its segments: `ops` are applied in order, all of them or none, and a refusal names the one that
        can't be applied. A new text that its segment's voice has no sounds for is refused too. Nothing is spoken:
        `render_dub` speaks the changes. The last 50 changes can be undone with `undo_dub`."""
        return self._client.call(OPERATIONS['edit_dub'], body={'dub_id': dub_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def undo_dub(
        self,
        *,
        dub_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubAnswer:
        """Restores what the dub was before its latest change, as a new revision. A second call undoes the change before."""
        return self._client.call(OPERATIONS['undo_dub'], body={'dub_id': dub_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def render_dub(
        self,
        *,
        dub_id: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubStanding:
        """Starts a job that makes a new item of the dub as it is now, and puts the new voices into the dub's timeline. Only
        segments whose text, voice or time changed are spoken; the job's result counts them (`spoken`, `reused`). If
        the dub has not changed, the answer is `ready`."""
        return self._client.call(OPERATIONS['render_dub'], body={'dub_id': dub_id}, maybe={'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_dub(
        self,
        *,
        dub_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedDub:
        """Its history is deleted too. Its timeline and the items that were made of it stay."""
        return self._client.call(OPERATIONS['delete_dub'], body={'dub_id': dub_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)


class Timeline(Group):
    """The operations of `timeline`."""

    __slots__ = ()

    def create_timeline(
        self,
        *,
        name: str,
        ops: Sequence[types.TimelineOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """Creates a sequence of scenes, with sound, with pictures and texts over the scenes, and with captions. It is empty, or
        what `ops` make of it. A workspace has at most 500 timelines."""
        return self._client.call(OPERATIONS['create_timeline'], body={'name': name}, maybe={'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_timelines(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedTimeline]:
        """Newest first, without their scenes, sound, overlays and captions."""
        return self._client.pages(OPERATIONS['list_timelines'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_timeline(
        self,
        *,
        timeline_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """With everything in it, the time at which each scene begins, and links to what the scenes show. Parts whose item is
        deleted say so."""
        return self._client.call(OPERATIONS['get_timeline'], body={'timeline_id': timeline_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def edit_timeline(
        self,
        *,
        timeline_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.TimelineOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """Changes its name or its contents: `ops` are applied in order, all of them or none, and a refusal names the one that
        can't be applied. The last 50 changes can be undone with `undo_timeline`."""
        return self._client.call(OPERATIONS['edit_timeline'], body={'timeline_id': timeline_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def undo_timeline(
        self,
        *,
        timeline_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """Restores what the timeline was before its latest change, as a new revision. A second call undoes the change before."""
        return self._client.call(OPERATIONS['undo_timeline'], body={'timeline_id': timeline_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_timeline(
        self,
        *,
        timeline_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedTimeline:
        """Its history is deleted too. The items that it names, and those that were rendered from it, stay."""
        return self._client.call(OPERATIONS['delete_timeline'], body={'timeline_id': timeline_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def render_timeline(
        self,
        *,
        timeline_id: str,
        format: types.RenderFormat | None = None,
        quality: types.RenderQuality | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerRenderedTimeline:
        """Starts a job that makes a new item of the timeline as it is now: a film of its scenes, cut to the frame, with its
        overlays and its sound, or the sound alone. It costs as much as a render of its length, or as decoding up to
        the parts that it uses, if that is more. While a film's item exists, the same film is not made again. Tracks
        are turned down under the speech of those items whose `speech` read is stored; captions in the picture come
        from stored transcripts, or from the timeline's cues. `warnings` names what is missing."""
        return self._client.call(OPERATIONS['render_timeline'], body={'timeline_id': timeline_id}, maybe={'format': format, 'quality': quality, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def export_timeline(
        self,
        *,
        timeline_id: str,
        format: types.CarryFormat,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerExportedTimeline:
        """Returns it as `OpenTimelineIO`, which `import_timeline` restores unchanged; as an edit decision list; or as captions:
        its own cues, or those of the stored transcripts of its scenes and its voiceover."""
        return self._client.call(OPERATIONS['export_timeline'], body={'timeline_id': timeline_id, 'format': format}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def import_timeline(
        self,
        *,
        content: str,
        format: types.CarryFormat | None = None,
        fps: float | None = None,
        name: str | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerImportedTimeline:
        """Makes a new timeline of an `OpenTimelineIO` document, whose first video track's clips become the scenes and whose
        audio tracks' clips the sound; of an edit decision list, whose events become the same; or of captions, which
        become its cues. Media that are not items of the workspace leave a black scene in their place, and what can't
        be rendered is left out; `warnings` names both."""
        return self._client.call(OPERATIONS['import_timeline'], body={'content': content}, maybe={'format': format, 'fps': fps, 'name': name}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)


class Canvas(Group):
    """The operations of `canvas`."""

    __slots__ = ()

    def create_canvas(
        self,
        *,
        width: int,
        height: int,
        name: str | None = None,
        background: str | None = None,
        layers: Sequence[types.NewLayer | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """Creates a picture of stacked layers: images and frames of films, texts, shapes, gradients, logos. `{name}` in a text
        is a placeholder that a render fills, so that one canvas makes many pictures. A workspace has at most 500
        canvases."""
        return self._client.call(OPERATIONS['create_canvas'], body={'width': width, 'height': height}, maybe={'name': name, 'background': background, 'layers': layers}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_canvases(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedCanvas]:
        """Newest first, without their layers."""
        return self._client.pages(OPERATIONS['list_canvases'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_canvas(
        self,
        *,
        canvas_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """With all its layers, the lowest first, its placeholders, and links to the items that it shows. A layer whose item is
        deleted says so."""
        return self._client.call(OPERATIONS['get_canvas'], body={'canvas_id': canvas_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def edit_canvas(
        self,
        *,
        canvas_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.CanvasOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """Changes its name or its layers: `ops` are applied in order, all of them or none, and a refusal names the one that
        can't be applied. The last 50 changes can be undone with `undo_canvas`."""
        return self._client.call(OPERATIONS['edit_canvas'], body={'canvas_id': canvas_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def undo_canvas(
        self,
        *,
        canvas_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """Restores what the canvas was before its latest change, as a new revision. A second call undoes the change before."""
        return self._client.call(OPERATIONS['undo_canvas'], body={'canvas_id': canvas_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def delete_canvas(
        self,
        *,
        canvas_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedCanvas:
        """Its history is deleted too. The items that it shows, and those that were rendered from it, stay."""
        return self._client.call(OPERATIONS['delete_canvas'], body={'canvas_id': canvas_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def render_canvas(
        self,
        *,
        canvas_id: str,
        format: types.PictureFormat | None = None,
        scale: float | None = None,
        values: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerRenderedCanvas:
        """Starts a job that makes a new image of the canvas as it is now, with `values` for its placeholders and the names of
        the brand kit resolved now. The same canvas always gives the same bytes, and while a picture's item exists the
        same picture is not made again. It costs as much as one second of film for each 3840 × 2160 pixels begun, or
        the cost of decoding its images if that is more. `warnings` names letters that the fonts lack."""
        return self._client.call(OPERATIONS['render_canvas'], body={'canvas_id': canvas_id}, maybe={'format': format, 'scale': scale, 'values': values, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)


class Uploads(Group):
    """The operations of `uploads`."""

    __slots__ = ()

    def create_upload(
        self,
        *,
        filename: str | None = None,
        content_type: str | None = None,
        bytes: int | None = None,
        sha256: str | None = None,
        url: str | None = None,
        ref: str | None = None,
        reads: Sequence[types.ReadKind] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Upload:
        """With `filename`, `content_type` and `bytes`: PUT the bytes as `upload` says, then call `complete`. With `url`: a
        worker fetches the file, and there is nothing more to do."""
        return self._client.call(OPERATIONS['create_upload'], body={}, maybe={'filename': filename, 'content_type': content_type, 'bytes': bytes, 'sha256': sha256, 'url': url, 'ref': ref, 'reads': reads}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def get_upload(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.UploadDetail:
        """Returns its status, and why it failed. The URL that takes its bytes is not shown: only `POST /uploads` returns it. An
        upload that has ended is kept as long as jobs are."""
        return self._client.call(OPERATIONS['get_upload'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def complete_upload(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.LibraryItem:
        """Hands the bytes to a worker and returns the item in `processing`; `GET /library/items/{id}` says when it is `ready` or
        `failed`. Completing it again returns the item again."""
        return self._client.call(OPERATIONS['complete_upload'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)


class Webhooks(Group):
    """The operations of `webhooks`."""

    __slots__ = ()

    def create_webhook(
        self,
        *,
        url: str,
        description: str | None = None,
        event_types: Sequence[types.Subscribed] | None = None,
        kinds: Sequence[types.JobKindWord] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Webhook:
        """It gets the events of jobs that end in any workspace of the account. An account has at most ten (contract §8)."""
        return self._client.call(OPERATIONS['create_webhook'], body={'url': url}, maybe={'description': description, 'event_types': event_types, 'kinds': kinds}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.Webhook]:
        """The account's endpoints, newest first, each with its number of consecutive failures."""
        return self._client.pages(OPERATIONS['list_webhooks'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_webhook(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Webhook:
        """Get a webhook endpoint"""
        return self._client.call(OPERATIONS['get_webhook'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def update_webhook(
        self,
        id: str,
        *,
        url: str | None = None,
        description: str | None = None,
        event_types: Sequence[types.Subscribed] | None = None,
        kinds: Sequence[types.JobKindWord] | None = None,
        enabled: bool | None = None,
        test: bool | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Webhook:
        """With `test: true` one ping is sent now, after the changes; its result counts neither as failure nor as success, and it
        is not retried. An endpoint takes ten pings a minute."""
        return self._client.call(OPERATIONS['update_webhook'], path={'id': id}, body={}, maybe={'url': url, 'description': description, 'event_types': event_types, 'kinds': kinds, 'enabled': enabled, 'test': test}, workspace_id=workspace_id, timeout=timeout)

    def delete_webhook(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Its pending deliveries are cancelled."""
        return self._client.call(OPERATIONS['delete_webhook'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def list_deliveries(
        self,
        id: str,
        *,
        status: types.Status | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.Delivery]:
        """Lists the endpoint's deliveries, newest first, with the receiver's status and the error. They are kept for 30 days.
        With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and still be
        followed by more."""
        return self._client.pages(OPERATIONS['list_deliveries'], path={'id': id}, query={'status': status, 'event_type': event_type, 'http_status': http_status, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def resend_delivery(
        self,
        id: str,
        *,
        delivery_id: str | None = None,
        since: str | datetime | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Resent:
        """With `delivery_id`, sends that delivery again from its first attempt: a new delivery, which names it in `resend_of`.
        If that one, or a resend of it, is still pending, it is cancelled. With `since`, sends every event since then
        whose last delivery failed or was skipped."""
        return self._client.call(OPERATIONS['resend_delivery'], path={'id': id}, body={}, maybe={'delivery_id': delivery_id, 'since': since}, workspace_id=workspace_id, timeout=timeout)

    def get_delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.DeliveryDetail:
        """With the requests that were sent: the body, and for each attempt the host, the path and the headers with the
        signature."""
        return self._client.call(OPERATIONS['get_delivery'], path={'id': id, 'delivery_id': delivery_id}, workspace_id=workspace_id, timeout=timeout)

    def get_webhook_secret(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Secret:
        """The secret signs every endpoint of the account. Refused for a script session token."""
        return self._client.call(OPERATIONS['get_webhook_secret'], workspace_id=workspace_id, timeout=timeout)

    def create_webhook_secret(
        self,
        *,
        rotate: bool | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Secret:
        """Without `rotate` it returns the existing secret, or creates one. With `rotate: true` it creates a new one; the old one
        keeps verifying for 24 hours, in which there can be no other rotation. Refused for a script session token."""
        return self._client.call(OPERATIONS['create_webhook_secret'], body={}, maybe={'rotate': rotate}, workspace_id=workspace_id, timeout=timeout)

    def delete_webhook_secret(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Deliveries are then signed with the shared default secret. A previous secret that still verified after a rotation is
        removed too. Refused for a script session token."""
        return self._client.call(OPERATIONS['delete_webhook_secret'], workspace_id=workspace_id, timeout=timeout)

    def list_events(
        self,
        *,
        type: types.Subscribed | None = None,
        since: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.JobEvent]:
        """The account's job events, newest first, as endpoints are sent them, whether it has endpoints or not. They are kept for
        30 days. With filters a page looks through 2,000 events: it may have fewer than `limit`, or none, and still be
        followed by more."""
        return self._client.pages(OPERATIONS['list_events'], query={'type': type, 'since': since, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    def get_event(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.AnyEvent:
        """Returns the exact JSON that endpoints are sent, also for a ping. Events are kept for 30 days."""
        return self._client.call(OPERATIONS['get_event'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)


class Operator(Group):
    """The operations of `operator`."""

    __slots__ = ()

    def operator_create_account(
        self,
        *,
        name: str,
        workspace_name: str | None = None,
        monthly_allowance_minutes: float | None = None,
        create_key: bool | None = None,
        timeout: float | None = None,
    ) -> types.OpenedAccount:
        """It has a default workspace, and an API key for it if one is requested."""
        return self._client.call(OPERATIONS['operator_create_account'], body={'name': name}, maybe={'workspace_name': workspace_name, 'monthly_allowance_minutes': monthly_allowance_minutes, 'create_key': create_key}, timeout=timeout)

    def operator_list_accounts(
        self,
        *,
        name: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.OperatorAccount]:
        """All accounts, newest first."""
        return self._client.pages(OPERATIONS['operator_list_accounts'], query={'name': name, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_get_account(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.AccountDetail:
        """Returns the account, its balances, and the processor time that its work used unpaid."""
        return self._client.call(OPERATIONS['operator_get_account'], path={'id': id}, timeout=timeout)

    def operator_update_account(
        self,
        id: str,
        *,
        name: str,
        timeout: float | None = None,
    ) -> types.OperatorAccount:
        """Changes its name. Minutes are given by `POST /operator/accounts/{id}/minutes`."""
        return self._client.call(OPERATIONS['operator_update_account'], path={'id': id}, body={'name': name}, maybe={}, timeout=timeout)

    def operator_forgive_processor_time(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.AccountDetail:
        """The time that its media and jobs used unpaid no longer counts, nor do its jobs of a day that were stopped or failed:
        jobs and uploads are accepted at once, and work that was put off continues."""
        return self._client.call(OPERATIONS['operator_forgive_processor_time'], path={'id': id}, timeout=timeout)

    def operator_suspend_account(
        self,
        id: str,
        *,
        reason: str,
        end_work: bool | None = None,
        timeout: float | None = None,
    ) -> types.SuspendedAccount:
        """All its credentials are refused with 403 `account_suspended`, its open event streams end, its queued jobs wait, and
        its endpoints get no events: events are `skipped`, and can be sent again once it is resumed. Running work
        continues unless `end_work` is true. Nothing is deleted. Repeated, it changes the reason."""
        return self._client.call(OPERATIONS['operator_suspend_account'], path={'id': id}, body={'reason': reason}, maybe={'end_work': end_work}, timeout=timeout)

    def operator_resume_account(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.OperatorAccount:
        """Its credentials are accepted again, its jobs continue, and the endpoints that the suspension disabled are enabled."""
        return self._client.call(OPERATIONS['operator_resume_account'], path={'id': id}, timeout=timeout)

    def operator_list_keys(
        self,
        *,
        account_id: str,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.OperatorKey]:
        """Live and revoked keys, newest first, without the secrets."""
        return self._client.pages(OPERATIONS['operator_list_keys'], query={'account_id': account_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_create_key(
        self,
        id: str,
        *,
        name: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.CreatedKey:
        """As `POST /keys` creates one for its own account, and within the same bound of ten: for an account that has no key yet,
        or has lost it. Only this answer shows it. The account's audit log says that an operator made it."""
        return self._client.call(OPERATIONS['operator_create_key'], path={'id': id}, body={}, maybe={'name': name, 'workspace_id': workspace_id}, timeout=timeout)

    def operator_revoke_key(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.Deleted:
        """This works for any account's key: the key, the sessions made with it and its open event streams end at once; jobs that
        were already dispatched continue. Its owner sees it in their audit log."""
        return self._client.call(OPERATIONS['operator_revoke_key'], path={'id': id}, timeout=timeout)

    def operator_erase_account(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.ErasedAnswer:
        """It must be suspended. Its workspaces with their items and projects, its users, endpoints, signing secret, audit log
        and name are erased for good; bytes are deleted as for deleted items. Ids and the ledger stay. Repeated, it
        continues where it stopped."""
        return self._client.call(OPERATIONS['operator_erase_account'], path={'id': id}, timeout=timeout)

    def operator_erase_workspace(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.ErasedAnswer:
        """Its items, projects, members, keys and name are erased for good. An account's default workspace is erased with its
        account only."""
        return self._client.call(OPERATIONS['operator_erase_workspace'], path={'id': id}, timeout=timeout)

    def operator_erase_item(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.ErasedAnswer:
        """Deletes it as its owner could, and erases its name at once. An item that was deleted before loses its name too."""
        return self._client.call(OPERATIONS['operator_erase_item'], path={'id': id}, timeout=timeout)

    def operator_create_user(
        self,
        *,
        account_id: str,
        name: str,
        oauth_subject: str | None = None,
        oauth_issuer: str | None = None,
        timeout: float | None = None,
    ) -> types.OperatorUser:
        """With `oauth_subject`, whoever presents an access token with that subject is this user, whatever `MWS_OAUTH_SIGNUP`
        says. They can use the workspaces of which they are members."""
        return self._client.call(OPERATIONS['operator_create_user'], body={'account_id': account_id, 'name': name}, maybe={'oauth_subject': oauth_subject, 'oauth_issuer': oauth_issuer}, timeout=timeout)

    def operator_list_users(
        self,
        *,
        account_id: str | None = None,
        oauth_subject: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.OperatorUser]:
        """All users, newest first."""
        return self._client.pages(OPERATIONS['operator_list_users'], query={'account_id': account_id, 'oauth_subject': oauth_subject, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_update_user(
        self,
        id: str,
        *,
        name: str | None = None,
        oauth_subject: str | None = None,
        oauth_issuer: str | None = None,
        disabled: bool | None = None,
        timeout: float | None = None,
    ) -> types.OperatorUser:
        """Changes their name, the tokens that stand for them, or whether they are admitted."""
        return self._client.call(OPERATIONS['operator_update_user'], path={'id': id}, body={}, maybe={'name': name, 'oauth_subject': oauth_subject, 'oauth_issuer': oauth_issuer, 'disabled': disabled}, timeout=timeout)

    def operator_create_workspace(
        self,
        *,
        account_id: str,
        name: str,
        timeout: float | None = None,
    ) -> types.OperatorWorkspace:
        """The first workspace of an account is its default."""
        return self._client.call(OPERATIONS['operator_create_workspace'], body={'account_id': account_id, 'name': name}, maybe={}, timeout=timeout)

    def operator_list_workspaces(
        self,
        *,
        account_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.OperatorWorkspace]:
        """All workspaces, newest first."""
        return self._client.pages(OPERATIONS['operator_list_workspaces'], query={'account_id': account_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_update_workspace(
        self,
        id: str,
        *,
        name: str | None = None,
        is_default: bool | None = None,
        timeout: float | None = None,
    ) -> types.OperatorWorkspace:
        """Changes its name, or makes it its account's default."""
        return self._client.call(OPERATIONS['operator_update_workspace'], path={'id': id}, body={}, maybe={'name': name, 'is_default': is_default}, timeout=timeout)

    def operator_put_member(
        self,
        *,
        workspace_id: str,
        user_id: str,
        role: types.RoleWord,
        timeout: float | None = None,
    ) -> types.OperatorMember:
        """Makes them a member, or changes a member's role."""
        return self._client.call(OPERATIONS['operator_put_member'], body={'workspace_id': workspace_id, 'user_id': user_id, 'role': role}, maybe={}, timeout=timeout)

    def operator_list_members(
        self,
        *,
        workspace_id: str | None = None,
        user_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.OperatorMember]:
        """Lists the members of a workspace, or the memberships of a user: give exactly one of the two."""
        return self._client.pages(OPERATIONS['operator_list_members'], query={'workspace_id': workspace_id, 'user_id': user_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_delete_member(
        self,
        workspace_id: str,
        user_id: str,
        *,
        timeout: float | None = None,
    ) -> types.Deleted:
        """The user loses access to the workspace at once: their sessions there end, and the keys to the workspace's account that
        they made, or whose keys made them, are revoked. Work that they have started continues. If the account is
        their own, they remain one of its users: disable them to keep them out of all of it."""
        return self._client.call(OPERATIONS['operator_delete_member'], path={'workspaceId': workspace_id, 'userId': user_id}, timeout=timeout)

    def operator_give_minutes(
        self,
        id: str,
        *,
        kind: types.Giving,
        minutes: float,
        note: str | None = None,
        reference: str | None = None,
        timeout: float | None = None,
    ) -> types.GivenMinutes:
        """A grant adds to the current month, a purchase to the purchased minutes, an allowance sets the minutes of each month.
        An allowance below what is used and held leaves nothing, and takes nothing back."""
        return self._client.call(OPERATIONS['operator_give_minutes'], path={'id': id}, body={'kind': kind, 'minutes': minutes}, maybe={'note': note, 'reference': reference}, timeout=timeout)

    def operator_give_credits(
        self,
        id: str,
        *,
        kind: types.GivingCredits,
        credits: float,
        note: str | None = None,
        reference: str | None = None,
        timeout: float | None = None,
    ) -> types.GivenCredits:
        """A grant and a purchase add credits, which never expire; a withdrawal takes back credits that are not held."""
        return self._client.call(OPERATIONS['operator_give_credits'], path={'id': id}, body={'kind': kind, 'credits': credits}, maybe={'note': note, 'reference': reference}, timeout=timeout)

    def operator_list_reads(
        self,
        *,
        timeout: float | None = None,
    ) -> types.OperatorReadList:
        """The reads: the engine of each, whether it is paused, and how many of its jobs wait."""
        return self._client.call(OPERATIONS['operator_list_reads'], timeout=timeout)

    def operator_update_read(
        self,
        read: str,
        *,
        paused: bool,
        timeout: float | None = None,
    ) -> types.OperatorRead:
        """While a read is paused its running jobs continue, its waiting jobs wait and give their places to others, and calls for
        it are answered `held`. Nothing is cancelled and nothing is charged."""
        return self._client.call(OPERATIONS['operator_update_read'], path={'read': read}, body={'paused': paused}, maybe={}, timeout=timeout)

    def operator_list_jobs(
        self,
        *,
        status: Sequence[types.JobStatusWord] | None = None,
        kind: Sequence[types.JobKindWord] | None = None,
        read: Sequence[types.ReadKind] | None = None,
        error_code: str | None = None,
        account_id: str | None = None,
        workspace_id: str | None = None,
        item_id: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.OperatorJob]:
        """Newest first. With filters a page looks through 2,000 jobs: it may have fewer than `limit`, or none, and still be
        followed by more. A token of the role `metadata` sees no results and no texts of customers."""
        return self._client.pages(OPERATIONS['operator_list_jobs'], query={'status': status, 'kind': kind, 'read': read, 'error_code': error_code, 'account_id': account_id, 'workspace_id': workspace_id, 'item_id': item_id, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_get_job(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.OperatorJob:
        """Returns the job as its account sees it, and the accounts that own and pay for it. A token of the role `metadata` sees
        no result and no texts of customers."""
        return self._client.call(OPERATIONS['operator_get_job'], path={'id': id}, timeout=timeout)

    def operator_cancel_job(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.OperatorJob:
        """A job that is queued is cancelled at once, one that runs when its worker notices. It costs nothing, and its account is
        told as when it cancels a job itself."""
        return self._client.call(OPERATIONS['operator_cancel_job'], path={'id': id}, timeout=timeout)

    def operator_retry_job(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.PreparedRead:
        """Starts the read of a failed or cancelled job again, as a new job, for the account that paid for the first one. The
        answer is `prepare_media`'s for that read: `ready` if it has been stored meanwhile, or a reason if it can't
        start. The first job does not change."""
        return self._client.call(OPERATIONS['operator_retry_job'], path={'id': id}, timeout=timeout)

    def operator_list_deliveries(
        self,
        *,
        account_id: str | None = None,
        endpoint_id: str | None = None,
        job_id: str | None = None,
        status: types.Status | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        error: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.Delivery]:
        """Newest first. With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and still
        be followed by more. For a token of the role `metadata` `response_excerpt` and `response_headers` are null."""
        return self._client.pages(OPERATIONS['operator_list_deliveries'], query={'account_id': account_id, 'endpoint_id': endpoint_id, 'job_id': job_id, 'status': status, 'event_type': event_type, 'http_status': http_status, 'error': error, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_get_delivery(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.DeliveryDetail:
        """With the requests that were sent and what was answered. For a token of the role `metadata` the body, paths, headers
        and excerpts are null."""
        return self._client.call(OPERATIONS['operator_get_delivery'], path={'id': id}, timeout=timeout)

    def operator_resend_deliveries(
        self,
        *,
        since: str | datetime,
        dry_run: bool | None = None,
        until: str | datetime | None = None,
        account_id: str | None = None,
        endpoint_id: str | None = None,
        status: types.Unarrived | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        error: str | None = None,
        timeout: float | None = None,
    ) -> types.ResentAll:
        """Sends every event since a time again whose last delivery to an endpoint failed or was skipped, and which matches the
        filters: each as a new delivery, from its first attempt. With `dry_run` they are only counted. One request
        sends at most 50,000; for more, start a bulk operation (`POST /operator/bulk-operations`)."""
        return self._client.call(OPERATIONS['operator_resend_deliveries'], body={'since': since}, maybe={'dry_run': dry_run, 'until': until, 'account_id': account_id, 'endpoint_id': endpoint_id, 'status': status, 'event_type': event_type, 'http_status': http_status, 'error': error}, timeout=timeout)

    def operator_resend_delivery(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.Delivery:
        """Sends it again from its first attempt, whether it arrived or not: as a new delivery, which names it in `resend_of`. If
        it, or a resend of it, is still pending, that one is cancelled."""
        return self._client.call(OPERATIONS['operator_resend_delivery'], path={'id': id}, timeout=timeout)

    def operator_list_webhooks(
        self,
        *,
        account_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.ListedWebhook]:
        """Newest first, with those that their owners removed lately. A URL may hold a secret of its owner's, and is shown
        without its query."""
        return self._client.pages(OPERATIONS['operator_list_webhooks'], query={'account_id': account_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_update_webhook(
        self,
        id: str,
        *,
        enabled: bool | None = None,
        test: bool | None = None,
        timeout: float | None = None,
    ) -> types.OperatorWebhook:
        """Enabling and disabling are in the account's own audit log too, without the operator's name. An endpoint of a suspended
        account can't be enabled or tested. A ping's result counts neither as failure nor as success, and it is not
        retried; an endpoint takes ten pings a minute."""
        return self._client.call(OPERATIONS['operator_update_webhook'], path={'id': id}, body={}, maybe={'enabled': enabled, 'test': test}, timeout=timeout)

    def operator_start_bulk_operation(
        self,
        *,
        name: str,
        kind: types.BulkKindWord,
        since: str | datetime,
        pace: int | None = None,
        read: types.ReadKind | None = None,
        error_code: str | None = None,
        until: str | datetime | None = None,
        account_id: str | None = None,
        endpoint_id: str | None = None,
        status: types.Unarrived | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        error: str | None = None,
        timeout: float | None = None,
    ) -> types.BulkOperationAnswer:
        """Sends again all events whose last delivery to an endpoint failed or was skipped, and which match the filters: each as
        a new delivery, from its first attempt, up to `pace` or 500 a second, the oldest of each endpoint first. Count
        them before with `dry_run` of `POST /operator/deliveries/resend`, and pass on its `until`, which must not lie
        ahead. With the kind `rerun_reads` it runs failed reads again instead, up to 50 a second, for the accounts
        that paid for them: count those before with `GET /operator/failed-reads`. The operation goes on by itself,
        whatever restarts meanwhile; at most five run at once."""
        return self._client.call(OPERATIONS['operator_start_bulk_operation'], body={'name': name, 'kind': kind, 'since': since}, maybe={'pace': pace, 'read': read, 'error_code': error_code, 'until': until, 'account_id': account_id, 'endpoint_id': endpoint_id, 'status': status, 'event_type': event_type, 'http_status': http_status, 'error': error}, timeout=timeout)

    def operator_list_bulk_operations(
        self,
        *,
        state: types.BulkStateWord | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.BulkOperationAnswer]:
        """Newest first, with how far each is. Those that have ended are kept as long as accounts' audit logs, 400 days unless
        the deployment says otherwise."""
        return self._client.pages(OPERATIONS['operator_list_bulk_operations'], query={'state': state, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_count_failed_reads(
        self,
        *,
        since: str | datetime,
        until: str | datetime | None = None,
        account_id: str | None = None,
        read: types.ReadKind | None = None,
        error_code: str | None = None,
        timeout: float | None = None,
    ) -> types.FailedReads:
        """Counts the reads that failed and were not started again since, by the account that paid for them, with the minutes
        that were held. It is the preview of `POST /operator/bulk-operations` with the kind `rerun_reads`: pass on its
        `until`. An item and read counts once, by its last job."""
        return self._client.call(OPERATIONS['operator_count_failed_reads'], query={'since': since, 'until': until, 'account_id': account_id, 'read': read, 'error_code': error_code}, timeout=timeout)

    def operator_get_bulk_operation(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.BulkOperationAnswer:
        """With how far it is."""
        return self._client.call(OPERATIONS['operator_get_bulk_operation'], path={'id': id}, timeout=timeout)

    def operator_stop_bulk_operation(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.BulkOperationAnswer:
        """What it has sent stays sent, what it has started goes on, and nothing more is. One that has ended stays as it is."""
        return self._client.call(OPERATIONS['operator_stop_bulk_operation'], path={'id': id}, timeout=timeout)

    def operator_list_audit(
        self,
        *,
        operator: str | None = None,
        action: str | None = None,
        target: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.AuditEntry]:
        """Lists what operators did, newest first, and what they viewed (`view`: once an hour for the same operator and route).
        It is kept for good, can't be changed, and each row carries the hash of the one before it."""
        return self._client.pages(OPERATIONS['operator_list_audit'], query={'operator': operator, 'action': action, 'target': target, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_get_report(
        self,
        *,
        timeout: float | None = None,
    ) -> types.HealthReport:
        """The health of the service on five axes: each with a sentence, the numbers behind it, and the command that helps next.
        Of several troubles at once these tell the worst, and `also` has the others. The same numbers give the same
        words. An axis whose numbers are too old is `unknown`, never `healthy`. `load` has what waits and runs by
        task, and the workers and schedulers; `invariants` the rules that are checked of the rows."""
        return self._client.call(OPERATIONS['operator_get_report'], timeout=timeout)

    def operator_list_errors(
        self,
        *,
        timeout: float | None = None,
    ) -> types.OperatorErrorList:
        """The jobs of all accounts that failed within a day, of these the newest 20,000. Those of one kind and read that failed
        with one code and one message are one row; numbers in messages are taken as equal. `GET /operator/jobs` with
        `status`, `read` and `error_code` lists the jobs of a row. `deliveries` has the deliveries that were made
        within a day and whose last attempt failed, among the newest 20,000, also while they are tried again. Those to
        one host with one error and one HTTP status are one row. `GET /operator/deliveries` with `error` and
        `http_status` lists them."""
        return self._client.call(OPERATIONS['operator_list_errors'], timeout=timeout)

    def operator_get_retention(
        self,
        *,
        timeout: float | None = None,
    ) -> types.RetentionAnswer:
        """The age of the oldest rows of which old ones are deleted, and how large each table is. Sizes are those of the last
        vacuum or analysis of a table: nothing is counted for it."""
        return self._client.call(OPERATIONS['operator_get_retention'], timeout=timeout)

    def operator_get_statement(
        self,
        id: str,
        *,
        month: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Page[types.StatementEntry]:
        """As its account gets it: what stood before the month, the journal's entries of it, newest first, and what stands after
        them. `adds_up` says whether the account's balances are what its whole journal adds up to."""
        return self._client.pages(OPERATIONS['operator_get_statement'], path={'id': id}, query={'month': month, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    def operator_create_console_link(
        self,
        *,
        timeout: float | None = None,
    ) -> types.ConsoleLink:
        """A browser that follows it is signed in as the operator whose token this is, for twelve hours or until the token
        changes. The link can be used once, within ten minutes."""
        return self._client.call(OPERATIONS['operator_create_console_link'], timeout=timeout)

    def operator_create_portal_session(
        self,
        id: str,
        *,
        pages: Sequence[types.PortalPage] | None = None,
        return_url: str | None = None,
        refresh_url: str | None = None,
        theme: types.PortalTheme | Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> types.PortalSession:
        """As `POST /portal-sessions` makes one for its own account: it can be used once, within ten minutes, and signs a browser
        in for an hour. It stands for the newest live key of the account's default workspace, or else for its newest
        one, and ends with that. The account's audit log says that an operator made it."""
        return self._client.call(OPERATIONS['operator_create_portal_session'], path={'id': id}, body={}, maybe={'pages': pages, 'return_url': return_url, 'refresh_url': refresh_url, 'theme': theme}, timeout=timeout)


class Groups:
    """What a client has of every tag."""

    def __init__(self, client: Any) -> None:
        self.discovery = Discovery(client)
        self.library = Library(client)
        self.workspace = Workspace(client)
        self.account = Account(client)
        self.research = Research(client)
        self.models = Models(client)
        self.generation = Generation(client)
        self.timeline = Timeline(client)
        self.canvas = Canvas(client)
        self.uploads = Uploads(client)
        self.webhooks = Webhooks(client)
        self.operator = Operator(client)


class AsyncDiscovery(AsyncGroup):
    """The operations of `discovery`."""

    __slots__ = ()

    async def list_tools(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolList:
        """Every tool with its description and the schema of its body."""
        return await self._client.call(OPERATIONS['list_tools'], workspace_id=workspace_id, timeout=timeout)


class AsyncLibrary(AsyncGroup):
    """The operations of `library`."""

    __slots__ = ()

    async def prepare_media(
        self,
        *,
        refs: Sequence[str],
        reads: Sequence[types.ReadKind],
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPreparedMedia:
        """Starts several reads on up to 20 library items in one call, each as its own job (contract §4.2). A stored read is
        `ready`, and one that a job computes already is `queued` with that job; the others start, or say why not. A
        repeated call starts nothing twice. Follow the jobs with `get_jobs`. Runs in the cloud: the estimate is held
        until each job ends, and a job is never charged more than was held for it. With `dry_run: true` nothing is
        started: reads that would start are `startable`, with their price."""
        return await self._client.call(OPERATIONS['prepare_media'], body={'refs': refs, 'reads': reads}, maybe={'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_items(
        self,
        *,
        query: str | None = None,
        type: types.LibraryItemType | None = None,
        status: types.LibraryItemStatus | None = None,
        has_read: types.ReadKind | None = None,
        missing_read: types.ReadKind | None = None,
        tag: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        board_id: str | None = None,
        sort: types.LibraryItemSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include: Sequence[types.LibraryItemInclude] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.LibraryItem]:
        """Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters a page
        may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by more
        (`has_more`). A cursor is valid for one `sort` only."""
        return self._client.pages(OPERATIONS['list_items'], body={}, maybe={'query': query, 'type': type, 'status': status, 'has_read': has_read, 'missing_read': missing_read, 'tag': tag, 'created_after': created_after, 'created_before': created_before, 'board_id': board_id, 'sort': sort, 'limit': limit, 'cursor': cursor, 'include': include}, workspace_id=workspace_id, timeout=timeout)

    async def get_item(
        self,
        *,
        ref: str,
        wait_seconds: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerItemAnswer:
        """Returns its status, its type, the reads stored on it and, once it is ready, a link to its media. `wait_seconds` makes
        it a long poll: after an upload or an import, call again until it is `ready` or `failed`."""
        return await self._client.call(OPERATIONS['get_item'], body={'ref': ref}, maybe={'wait_seconds': wait_seconds}, workspace_id=workspace_id, timeout=timeout)

    async def update_item(
        self,
        *,
        ref: str,
        name: str | None = None,
        new_ref: str | None = None,
        tags: Sequence[str] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerItemAnswer:
        """Changes its name, its ref (`new_ref`) or its tags. Absent fields keep their values."""
        return await self._client.call(OPERATIONS['update_item'], body={'ref': ref}, maybe={'name': name, 'new_ref': new_ref, 'tags': tags}, workspace_id=workspace_id, timeout=timeout)

    async def import_media(
        self,
        *,
        url: str,
        name: str | None = None,
        ref: str | None = None,
        reads: Sequence[types.ReadKind] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerItemAnswer:
        """Starts the fetch and returns the item in `processing`; `get_item` says when it is `ready` or `failed`."""
        return await self._client.call(OPERATIONS['import_media'], body={'url': url}, maybe={'name': name, 'ref': ref, 'reads': reads}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_item(
        self,
        *,
        ref: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedItem:
        """Cancels its queued jobs, asks its running ones to stop, and frees the ref."""
        return await self._client.call(OPERATIONS['delete_item'], body={'ref': ref}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def transcribe_media(
        self,
        *,
        ref: str,
        format: types.ReadFormat | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTranscriptAnswer:
        """Returns the text that is spoken in an item, in segments and words with their times. A stored transcript is returned at
        no charge. If there is none, its job is started, or joined if it is live already: the answer is `queued` with
        its `job_id`; follow that with `get_jobs` and call again. Needs audio. A `quality` of `draft` means that a
        person should check it. With `format` it is returned as plain text, or as captions: cues of at most two lines
        of 42 characters and 7 s."""
        return await self._client.call(OPERATIONS['transcribe_media'], body={'ref': ref}, maybe={'format': format, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def speakers(
        self,
        *,
        ref: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSpeakersAnswer:
        """Returns who speaks when in an item, and the speech read that this builds on. A stored read is returned at no charge.
        If there is none, its job is started, or joined if it is live already: the answer is `queued` with its
        `job_id`; follow that with `get_jobs` and call again. Needs audio. Speakers are named `A`, `B`, … within one
        item."""
        return await self._client.call(OPERATIONS['speakers'], body={'ref': ref}, maybe={'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def detect_beats(
        self,
        *,
        ref: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBeatsAnswer:
        """Returns the beats of an item, those that begin a bar, and its tempo. A stored read is returned at no charge. If there
        is none, its job is started, or joined if it is live already: the answer is `queued` with its `job_id`; follow
        that with `get_jobs` and call again. Needs at least two seconds of audio."""
        return await self._client.call(OPERATIONS['detect_beats'], body={'ref': ref}, maybe={'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def remove_silence(
        self,
        *,
        ref: str,
        min_silence_ms: int | None = None,
        padding_ms: int | None = None,
        render: bool | None = None,
        timeline: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSilenceAnswer:
        """Computes which parts of an item to keep so that its long silences are removed, from its speech. A silence shorter than
        `min_silence_ms` stays, and so do `padding_ms` on each side of speech; values that the call does not give come
        from the workspace's settings. Cuts in a video are on its frames. If nobody speaks, nothing is kept. With
        `render: true` a job makes a new item of what is kept; while its item exists, the same render is not made
        again. A stored speech read is used at no charge; if there is none, its job is started or joined, and the
        answer is `queued` without `keep`: follow `job_id` with `get_jobs` and call again."""
        return await self._client.call(OPERATIONS['remove_silence'], body={'ref': ref}, maybe={'min_silence_ms': min_silence_ms, 'padding_ms': padding_ms, 'render': render, 'timeline': timeline, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def duck_music(
        self,
        *,
        voice_ref: str,
        music_ref: str,
        duck_db: float | None = None,
        attack_ms: int | None = None,
        release_ms: int | None = None,
        render: bool | None = None,
        timeline: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDuckAnswer:
        """Computes how far to turn music down while a voice speaks over it: an envelope of gains, linear in decibels between its
        points. Under speech the music is down by `duck_db`; the fall ends when speech starts, the rise starts when it
        ends, and elsewhere the gain is 0. With `render: true` a job mixes both into a new item: as long as the voice,
        with its picture if it has one, and limited so that it never clips. A stored speech read of the voice is used
        at no charge; if there is none, its job is started or joined, and the answer is `queued` without `envelope`:
        follow `job_id` with `get_jobs` and call again."""
        return await self._client.call(OPERATIONS['duck_music'], body={'voice_ref': voice_ref, 'music_ref': music_ref}, maybe={'duck_db': duck_db, 'attack_ms': attack_ms, 'release_ms': release_ms, 'render': render, 'timeline': timeline, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def search_footage(
        self,
        *,
        query: str,
        refs: Sequence[str] | None = None,
        limit: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerFootageMatches:
        """Finds words that are spoken in videos and recordings, by their stored transcripts, and words that are written in the
        pictures of videos, by their stored search indexes, at no charge; `source` says which. A match of spoken words
        has their time range, narrowed to the phrase; one of written words, the time for which they are shown. If the
        video's search index is stored, it also has the moment (shot) that it begins in, and a still of it. A score of
        1 is the exact phrase; from 0.5 on all words are there; below that words are similar, which tolerates typing
        and transcription errors in queries of up to 16 words. English words are found in all their forms. No match is
        an empty list; items that could not be searched are named."""
        return await self._client.call(OPERATIONS['search_footage'], body={'query': query}, maybe={'refs': refs, 'limit': limit}, workspace_id=workspace_id, timeout=timeout)

    async def create_board(
        self,
        *,
        name: str,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """Creates a board whose columns of cards plan the work on items. It begins without columns: `edit_board` adds them. A
        workspace has at most 200 boards."""
        return await self._client.call(OPERATIONS['create_board'], body={'name': name}, maybe={}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_boards(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedBoard]:
        """Newest first, without their cards."""
        return self._client.pages(OPERATIONS['list_boards'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_board(
        self,
        *,
        board_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """With its columns and cards. A card whose item is deleted says so."""
        return await self._client.call(OPERATIONS['get_board'], body={'board_id': board_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def edit_board(
        self,
        *,
        board_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.BoardOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """Changes its name, its columns or its cards: `ops` are applied in order, all of them or none, and a refusal names the
        one that can't be applied. The last 50 changes can be undone with `undo_board`."""
        return await self._client.call(OPERATIONS['edit_board'], body={'board_id': board_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def undo_board(
        self,
        *,
        board_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBoardAnswer:
        """Restores what the board was before its latest change, as a new revision. Repeat it to undo the change before."""
        return await self._client.call(OPERATIONS['undo_board'], body={'board_id': board_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_board(
        self,
        *,
        board_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedBoard:
        """Its history is deleted too. The items that its cards are about stay."""
        return await self._client.call(OPERATIONS['delete_board'], body={'board_id': board_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def add_comment(
        self,
        *,
        ref: str,
        text: str,
        at: float | None = None,
        until: float | None = None,
        region: types.CommentRegion | Mapping[str, Any] | None = None,
        reply_to: str | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCommentAnswer:
        """A comment is about the whole, a time, or a stretch, and may be about a part of the picture. Each item and each
        timeline has at most 10,000 comments, which are deleted with it. A comment on a timeline keeps its time when
        scenes before it change."""
        return await self._client.call(OPERATIONS['add_comment'], body={'ref': ref, 'text': text}, maybe={'at': at, 'until': until, 'region': region, 'reply_to': reply_to}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_comments(
        self,
        *,
        ref: str,
        resolved: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.Comment]:
        """Newest first, including replies."""
        return self._client.pages(OPERATIONS['list_comments'], body={'ref': ref}, maybe={'resolved': resolved, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def update_comment(
        self,
        *,
        comment_id: str,
        text: str | None = None,
        resolved: bool | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCommentAnswer:
        """Changes its text, which only its author may do, or whether it is resolved. Absent fields keep their values."""
        return await self._client.call(OPERATIONS['update_comment'], body={'comment_id': comment_id}, maybe={'text': text, 'resolved': resolved}, workspace_id=workspace_id, timeout=timeout)

    async def delete_comment(
        self,
        *,
        comment_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedComment:
        """The replies to it are deleted too."""
        return await self._client.call(OPERATIONS['delete_comment'], body={'comment_id': comment_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def create_public_link(
        self,
        *,
        ref: str,
        expires_in: int | None = None,
        rights: Sequence[types.LinkRight] | None = None,
        passphrase: str | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCreatedPublicLink:
        """Makes a page that shows one item to whoever has its URL, until the link expires or is revoked, or the item is deleted:
        the media, its waveform and its transcript if those reads are stored, and its comments if `rights` allows
        them. The link works no longer than its maker could: it ends with their key, or their membership of the
        workspace. A script session's token can't make links."""
        return await self._client.call(OPERATIONS['create_public_link'], body={'ref': ref}, maybe={'expires_in': expires_in, 'rights': rights, 'passphrase': passphrase}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_public_links(
        self,
        *,
        ref: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.PublicLink]:
        """The workspace's links, newest first, without their URLs. Links that ended are kept as long as ended jobs."""
        return self._client.pages(OPERATIONS['list_public_links'], body={}, maybe={'ref': ref, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def revoke_public_link(
        self,
        *,
        link_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPublicLinkAnswer:
        """It stops working at once, also for those who have its page open."""
        return await self._client.call(OPERATIONS['revoke_public_link'], body={'link_id': link_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def list_library_items(
        self,
        *,
        query: str | None = None,
        type: types.LibraryItemType | None = None,
        status: types.LibraryItemStatus | None = None,
        has_read: types.ReadKind | None = None,
        missing_read: types.ReadKind | None = None,
        tag: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        board_id: str | None = None,
        sort: types.LibraryItemSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include: Sequence[types.LibraryItemInclude] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.LibraryItem]:
        """Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters a page
        may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by more
        (`has_more`). A cursor is valid for one `sort` only."""
        return self._client.pages(OPERATIONS['list_library_items'], query={'query': query, 'type': type, 'status': status, 'has_read': has_read, 'missing_read': missing_read, 'tag': tag, 'created_after': created_after, 'created_before': created_before, 'board_id': board_id, 'sort': sort, 'limit': limit, 'cursor': cursor, 'include': include}, workspace_id=workspace_id, timeout=timeout)

    async def get_library_item(
        self,
        id: str,
        *,
        wait_seconds: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.LibraryItem:
        """Finds it by its id, its ref, or the id of the job that made it (contract §2, "Library item")."""
        return await self._client.call(OPERATIONS['get_library_item'], path={'id': id}, query={'wait_seconds': wait_seconds}, workspace_id=workspace_id, timeout=timeout)

    async def update_library_item(
        self,
        id: str,
        *,
        name: str | None = None,
        ref: str | None = None,
        tags: Sequence[str] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.LibraryItem:
        """Changes its name, its ref or its tags. Absent fields keep their values."""
        return await self._client.call(OPERATIONS['update_library_item'], path={'id': id}, body={}, maybe={'name': name, 'ref': ref, 'tags': tags}, workspace_id=workspace_id, timeout=timeout)

    async def delete_library_item(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Cancels its queued jobs, asks its running ones to stop, and frees the ref. The bytes are deleted once no job reads
        them."""
        return await self._client.call(OPERATIONS['delete_library_item'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    async def get_stored_read(
        self,
        id: str,
        read: str,
        *,
        format: types.ReadFormat | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Returns the read that a job stored on the item, at no charge. A transcript is also returned as text: `format=txt`, or
        as captions: `format=srt` and `format=vtt`, in cues of at most two lines of 42 characters and 7 s that never
        overlap, with the speakers' names where those are stored."""
        return await self._client.call(OPERATIONS['get_stored_read'], path={'id': id, 'read': read}, query={'format': format}, workspace_id=workspace_id, timeout=timeout)

    async def lease_library_item(
        self,
        id: str,
        *,
        seconds: int,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Lease:
        """For a computer that reads the item itself: until the lease ends, `prepare_media` answers `held` with the reason
        `reading_on_computer`."""
        return await self._client.call(OPERATIONS['lease_library_item'], path={'id': id}, body={'seconds': seconds}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def end_library_item_lease(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Stop holding an item's reads back"""
        return await self._client.call(OPERATIONS['end_library_item_lease'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)


class AsyncWorkspace(AsyncGroup):
    """The operations of `workspace`."""

    __slots__ = ()

    def get_jobs(
        self,
        *,
        job_ids: Sequence[str] | None = None,
        status: Sequence[types.JobStatusWord] | None = None,
        kind: Sequence[types.JobKindWord] | None = None,
        ref: str | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        wait_seconds: int | None = None,
        wait_for: types.WaitFor | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.JobAnswer]:
        """Returns the jobs named by `job_ids` (up to 200: one `prepare_media` can start 120), or the workspace's jobs that match
        the filters, newest first. `wait_seconds` makes it a long poll: to follow jobs, call again with the same
        `job_ids` and `wait_for: "all"` until none is `queued` or `running`. A finished job reports `cloud_minutes`."""
        return self._client.pages(OPERATIONS['get_jobs'], body={}, maybe={'job_ids': job_ids, 'status': status, 'kind': kind, 'ref': ref, 'created_after': created_after, 'cursor': cursor, 'limit': limit, 'wait_seconds': wait_seconds, 'wait_for': wait_for}, workspace_id=workspace_id, timeout=timeout)

    async def cancel_jobs(
        self,
        *,
        job_ids: Sequence[str],
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCancelJobsAnswer:
        """A queued job is cancelled at once and its hold freed; a running one is asked to stop and ends as `cancelled` within
        seconds, charged nothing. One that has already ended does not change. Events of stopped jobs are sent at the
        account's request rate; while more of them wait than one burst allows, no jobs are started."""
        return await self._client.call(OPERATIONS['cancel_jobs'], body={'job_ids': job_ids}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def read_overview(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.OverviewAnswer:
        """What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble."""
        return await self._client.call(OPERATIONS['read_overview'], workspace_id=workspace_id, timeout=timeout)

    async def get_overview(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerOverviewAnswer:
        """What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble."""
        return await self._client.call(OPERATIONS['get_overview'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def get_brand_kit(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBrandKitAnswer:
        """The workspace's named colours, fonts and logos, its tone of voice, and its caption style. `families` are the font
        families that a font may have."""
        return await self._client.call(OPERATIONS['get_brand_kit'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def update_brand_kit(
        self,
        *,
        if_revision: int | None = None,
        colors: Sequence[types.BrandColor | Mapping[str, Any]] | None = None,
        fonts: Sequence[types.BrandFont | Mapping[str, Any]] | None = None,
        logos: Sequence[types.LogoToSet | Mapping[str, Any]] | None = None,
        voice: str | None = None,
        caption_style: types.CaptionStyle | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBrandKitAnswer:
        """Makes all the changes or none. Whatever uses an entry of the kit by name uses its current value: the pages of public
        links show its first colour. The last 50 changes can be undone with `undo_brand_kit`."""
        return await self._client.call(OPERATIONS['update_brand_kit'], body={}, maybe={'if_revision': if_revision, 'colors': colors, 'fonts': fonts, 'logos': logos, 'voice': voice, 'caption_style': caption_style}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def undo_brand_kit(
        self,
        *,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBrandKitAnswer:
        """Restores what the kit was before its latest change, as a new revision. Repeat it to undo the change before. The first
        change is not undone: null, or an empty list, removes what it set."""
        return await self._client.call(OPERATIONS['undo_brand_kit'], body={}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def add_calendar_entry(
        self,
        *,
        title: str,
        starts_at: str | datetime,
        ends_at: str | datetime | None = None,
        refs: Sequence[str] | None = None,
        channel: str | None = None,
        note: str | None = None,
        status: types.CalendarStatus | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCalendarEntryAnswer:
        """Adds an entry: what is planned, when, and which items it is about. The calendar only plans; it publishes nothing, and
        nothing happens when the time comes. A workspace has at most 5,000 entries."""
        return await self._client.call(OPERATIONS['add_calendar_entry'], body={'title': title, 'starts_at': starts_at}, maybe={'ends_at': ends_at, 'refs': refs, 'channel': channel, 'note': note, 'status': status}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_calendar(
        self,
        *,
        from_: str | datetime | None = None,
        to: str | datetime | None = None,
        status: types.CalendarStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.CalendarEntry]:
        """Lists what is planned between two times, earliest first, with entries that began earlier and still go on."""
        return self._client.pages(OPERATIONS['list_calendar'], body={}, maybe={'from': from_, 'to': to, 'status': status, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def update_calendar_entry(
        self,
        *,
        entry_id: str,
        title: str | None = None,
        starts_at: str | datetime | None = None,
        ends_at: str | datetime | None = None,
        refs: Sequence[str] | None = None,
        channel: str | None = None,
        note: str | None = None,
        status: types.CalendarStatus | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCalendarEntryAnswer:
        """Changes the fields that are given; absent ones keep their values. `refs` replaces all of the entry's items."""
        return await self._client.call(OPERATIONS['update_calendar_entry'], body={'entry_id': entry_id}, maybe={'title': title, 'starts_at': starts_at, 'ends_at': ends_at, 'refs': refs, 'channel': channel, 'note': note, 'status': status}, workspace_id=workspace_id, timeout=timeout)

    async def delete_calendar_entry(
        self,
        *,
        entry_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedCalendarEntry:
        """The items that it is about stay."""
        return await self._client.call(OPERATIONS['delete_calendar_entry'], body={'entry_id': entry_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def create_calendar_feed(
        self,
        *,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCreatedCalendarFeed:
        """A secret URL by which calendar programs show the workspace's calendar (iCalendar, RFC 5545): the entries of the last
        90 days and those to come, 1,000 at most. Whoever has it reads them until it is revoked. A workspace has at
        most 20."""
        return await self._client.call(OPERATIONS['create_calendar_feed'], body={}, maybe={}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def list_calendar_feeds(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCalendarFeedList:
        """The feeds that work, newest first, without their URLs."""
        return await self._client.call(OPERATIONS['list_calendar_feeds'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def revoke_calendar_feed(
        self,
        *,
        feed_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerRevokedCalendarFeed:
        """Its URL stops working at once. Programs keep what they have already read."""
        return await self._client.call(OPERATIONS['revoke_calendar_feed'], body={'feed_id': feed_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def get_settings(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSettingsAnswer:
        """The defaults of its tools, for calls that don't say otherwise."""
        return await self._client.call(OPERATIONS['get_settings'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def update_settings(
        self,
        *,
        if_revision: int | None = None,
        name: str | None = None,
        default_language: str | None = None,
        reads_on_import: Sequence[types.ReadKind] | None = None,
        min_silence_ms: int | None = None,
        padding_ms: int | None = None,
        duck_db: float | None = None,
        caption_style: types.CaptionStyle | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSettingsAnswer:
        """They apply from the next call on; a call may still say otherwise. `reads_on_import` start as if the uploader had
        requested them, and cost the same. The last 50 changes can be undone with `undo_settings`."""
        return await self._client.call(OPERATIONS['update_settings'], body={}, maybe={'if_revision': if_revision, 'name': name, 'default_language': default_language, 'reads_on_import': reads_on_import, 'min_silence_ms': min_silence_ms, 'padding_ms': padding_ms, 'duck_db': duck_db, 'caption_style': caption_style}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def undo_settings(
        self,
        *,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSettingsAnswer:
        """Restores what the settings were before their latest change, as a new revision. Repeat it to undo the change before.
        The first change is not undone: null, or an empty list, restores the service's default."""
        return await self._client.call(OPERATIONS['undo_settings'], body={}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def save_skill(
        self,
        *,
        name: str,
        text: str,
        description: str | None = None,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSkillAnswer:
        """Saves instructions for whoever works in the workspace: agents list skills and read those that fit. A skill of the same
        name is replaced; the last 50 changes can be undone with `undo_skill`. Over MCP skills are prompts too. A
        workspace has at most 200."""
        return await self._client.call(OPERATIONS['save_skill'], body={'name': name, 'text': text}, maybe={'description': description, 'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_skills(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedSkill]:
        """Newest first, without their text."""
        return self._client.pages(OPERATIONS['list_skills'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_skill(
        self,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSkillAnswer:
        """With its text, as Markdown."""
        return await self._client.call(OPERATIONS['get_skill'], body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def undo_skill(
        self,
        *,
        name: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSkillAnswer:
        """Restores what the skill was before its latest change, as a new revision. Repeat it to undo the change before. A first
        save is not undone: `delete_skill` deletes the skill."""
        return await self._client.call(OPERATIONS['undo_skill'], body={'name': name}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_skill(
        self,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedSkill:
        """Its history is deleted too, and its name becomes free."""
        return await self._client.call(OPERATIONS['delete_skill'], body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def save_template(
        self,
        *,
        name: str,
        tool: str,
        arguments: Mapping[str, Any],
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTemplateAnswer:
        """Saves a tool's arguments under a name, to run again and again. They are checked against the tool's schema; required
        arguments may be left to the run. A template of the same name is replaced; the last 50 changes can be undone
        with `undo_template`. A workspace has at most 200."""
        return await self._client.call(OPERATIONS['save_template'], body={'name': name, 'tool': tool, 'arguments': arguments}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_templates(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedTemplate]:
        """Newest first, without their arguments."""
        return self._client.pages(OPERATIONS['list_templates'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def run_template(
        self,
        *,
        name: str,
        overrides: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerFields:
        """Calls the template's tool with its arguments, some replaced by `overrides`, and returns the tool's answer. It is a
        call of that tool: who may make it, its price, its refusals and its Idempotency-Key are the tool's."""
        return await self._client.call(OPERATIONS['run_template'], body={'name': name}, maybe={'overrides': overrides}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def undo_template(
        self,
        *,
        name: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTemplateAnswer:
        """Restores what the template was before its latest change, as a new revision. Repeat it to undo the change before. A
        first save is not undone: `delete_template` deletes the template."""
        return await self._client.call(OPERATIONS['undo_template'], body={'name': name}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_template(
        self,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedTemplate:
        """Its history is deleted too, and its name becomes free."""
        return await self._client.call(OPERATIONS['delete_template'], body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def create_project(
        self,
        *,
        brief: str,
        mode: types.ProjectMode | None = None,
        output_type: types.ProjectOutputType | None = None,
        webhook_url: str | None = None,
        budget: types.ProjectBudget | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """Creates it in the workspace that the call acts in. With the mode `autonomous` it begins as `running`, and an agent
        makes what the brief asks for from the workspace's footage: the project is `generating` while work that it
        started continues, then `rendering`, and finally `idle` with the film at `assembled_url`; or `failed`. The
        creator pays for it. With `manual` it begins as `idle`. Each status is sent to `webhook_url`."""
        return await self._client.call(OPERATIONS['create_project'], body={'brief': brief}, maybe={'mode': mode, 'output_type': output_type, 'webhook_url': webhook_url, 'budget': budget}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_projects(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedProject]:
        """Summaries of the projects of the workspace that the call acts in, newest first."""
        return self._client.pages(OPERATIONS['list_projects'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_project(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """Returns its full state. A webhook is sent once and may be lost: confirm the state here (contract §6.2.5)."""
        return await self._client.call(OPERATIONS['get_project'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    async def delete_project(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Deletes it with the log of its webhooks, whatever its status; no webhook is sent. Its agent's jobs stop, as for a
        cancelled project. A cancelled project is deleted automatically after 30 days."""
        return await self._client.call(OPERATIONS['delete_project'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    async def update_project_settings(
        self,
        id: str,
        *,
        webhook_url: str | None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ProjectSettings:
        """This sends no webhook. A webhook that is already on its way still goes to the old URL. The URL ends with the access of
        whoever sets it: when their key is revoked, or they may no longer edit in the workspace."""
        return await self._client.call(OPERATIONS['update_project_settings'], path={'id': id}, body={'webhook_url': webhook_url}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def change_project_status(
        self,
        id: str,
        *,
        status: types.ReportedStatus,
        agent_message: str | None = None,
        assets: Sequence[types.ProjectAsset | Mapping[str, Any]] | None = None,
        timeline: types.ProjectTimeline | Mapping[str, Any] | None = None,
        assembled_url: str | None = None,
        assembled_url_expires_at: str | datetime | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """Called by the agent that works on the project. Each change raises `revision` and is sent to the project's
        `webhook_url`, once. `running` and `generating` lead to each other, to `idle` and to `failed`, `running` to
        `rendering` also; `idle` leads to `running` and `rendering`; `rendering` to `idle` and `failed`; `failed` to
        `running`. Whoever changes the status takes the project over: the service's own agent stops working on it."""
        return await self._client.call(OPERATIONS['change_project_status'], path={'id': id}, body={'status': status}, maybe={'agent_message': agent_message, 'assets': assets, 'timeline': timeline, 'assembled_url': assembled_url, 'assembled_url_expires_at': assembled_url_expires_at}, workspace_id=workspace_id, timeout=timeout)

    async def cancel_project(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """This is final, and no webhook is sent (contract §6.2.2). The agent stops, and so do the jobs that it started and waits
        for, at no charge; jobs of others that it joined continue."""
        return await self._client.call(OPERATIONS['cancel_project'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def list_project_deliveries(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ProjectDelivery]:
        """Lists the webhooks of the project's changes of status, newest first: at most one for each change. Kept for 30 days."""
        return self._client.pages(OPERATIONS['list_project_deliveries'], path={'id': id}, query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def say_to_project(
        self,
        id: str,
        *,
        text: str,
        budget: types.ProjectBudget | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Project:
        """A project that is `idle` or `failed` becomes `running` again: the agent does its work again with the message, on
        behalf of whoever sends it. Reads are stored by then, and cost nothing again."""
        return await self._client.call(OPERATIONS['say_to_project'], path={'id': id}, body={'text': text}, maybe={'budget': budget}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_project_steps(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ProjectStep]:
        """Each call of a tool, oldest first: those for the brief, and for each message since. The steps for the ten messages
        before the latest are kept too."""
        return self._client.pages(OPERATIONS['list_project_steps'], path={'id': id}, query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)


class AsyncAccount(AsyncGroup):
    """The operations of `account`."""

    __slots__ = ()

    async def get_api_session(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerSessionCodeAnswer:
        """Returns a single-use code, valid 10 minutes, that `POST /sessions/redeem` exchanges for a bearer token valid 30
        minutes in this credential's workspace (contract §5.3). Refused for a script session token."""
        return await self._client.call(OPERATIONS['get_api_session'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def list_workspaces(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.Workspace]:
        """Lists the workspaces that the credential can reach, with the caller's role in each. An API key or a script session
        reaches one. An OAuth access token reaches those of which its user is a member and into which they let the
        connection."""
        return self._client.pages(OPERATIONS['list_workspaces'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def create_workspace(
        self,
        *,
        name: str,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Workspace:
        """Opens another workspace of the caller's account; only an owner may. A user who opens it becomes its owner; an API key
        still acts in its own workspace only, and `POST /keys` makes one for the new workspace. An account has at most
        100."""
        return await self._client.call(OPERATIONS['create_workspace'], body={'name': name}, maybe={}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def update_workspace(
        self,
        id: str,
        *,
        name: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Workspace:
        """Renames the workspace that the call acts in; only an owner may."""
        return await self._client.call(OPERATIONS['update_workspace'], path={'id': id}, body={'name': name}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    def list_members(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.WorkspaceMember]:
        """Lists the members of the workspace that the call acts in; only owners may. API keys are not members: each acts as an
        owner in the one workspace that it is bound to."""
        return self._client.pages(OPERATIONS['list_members'], path={'id': id}, query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def put_member(
        self,
        id: str,
        user_id: str,
        *,
        role: types.RoleWord,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.WorkspaceMember:
        """Makes them a member, or changes a member's role. Only users of the workspace's account, or members of one of that
        account's workspaces, can be given a role. The last owner must stay one."""
        return await self._client.call(OPERATIONS['put_member'], path={'id': id, 'userId': user_id}, body={'role': role}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def delete_member(
        self,
        id: str,
        user_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """The user's sessions in the workspace end too, and so do the keys to its account that they made. The last owner can't
        be removed."""
        return await self._client.call(OPERATIONS['delete_member'], path={'id': id, 'userId': user_id}, workspace_id=workspace_id, timeout=timeout)

    async def read_balances(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.BalancesAnswer:
        """Returns the month's cloud minutes, the minutes that are held, purchased minutes, AI credits, and the rates of reads
        and renders."""
        return await self._client.call(OPERATIONS['read_balances'], workspace_id=workspace_id, timeout=timeout)

    async def get_balances(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerBalancesAnswer:
        """The same as `GET /balances`, as a tool."""
        return await self._client.call(OPERATIONS['get_balances'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def create_key(
        self,
        *,
        name: str | None = None,
        workspace_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> types.CreatedKey:
        """Returns the key once; only its hash is stored. An account has at most ten keys (contract §5.1). Refused for a script
        session token, and for a workspace that the connection was not let into."""
        return await self._client.call(OPERATIONS['create_key'], body={}, maybe={'name': name, 'workspace_id': workspace_id}, idempotency_key=idempotency_key, timeout=timeout)

    def list_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.Key]:
        """The account's live keys, newest first, without the secrets. Refused for a script session token."""
        return self._client.pages(OPERATIONS['list_keys'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_key(
        self,
        key_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Key:
        """Returns a live key, without the secret. Refused for a script session token."""
        return await self._client.call(OPERATIONS['get_key'], path={'keyId': key_id}, workspace_id=workspace_id, timeout=timeout)

    async def revoke_key(
        self,
        key_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """The key and the sessions made with it stop working at once; jobs that were already dispatched continue. Refused for a
        script session token."""
        return await self._client.call(OPERATIONS['revoke_key'], path={'keyId': key_id}, workspace_id=workspace_id, timeout=timeout)

    def list_audit(
        self,
        *,
        action: str | None = None,
        actor: str | None = None,
        target: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.AccountChange]:
        """Lists who made, changed, rotated, revoked, enabled or disabled what, newest first; public links, calendar feeds,
        workspaces and their members are in it too, and links to the portal that operators made. Entries are kept for
        as long as the deployment says (400 days by default). Refused for a script session token."""
        return self._client.pages(OPERATIONS['list_audit'], query={'action': action, 'actor': actor, 'target': target, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def redeem_session(
        self,
        *,
        code: str,
        timeout: float | None = None,
    ) -> types.SessionTokenAnswer:
        """Exchanges a code for a bearer token valid 30 minutes. Takes no `Authorization` header. A code can be redeemed once,
        within 10 minutes; an address may try 10 times at once, and then once in six seconds."""
        return await self._client.call(OPERATIONS['redeem_session'], body={'code': code}, maybe={}, timeout=timeout)

    async def create_portal_session(
        self,
        *,
        pages: Sequence[types.PortalPage] | None = None,
        return_url: str | None = None,
        refresh_url: str | None = None,
        theme: types.PortalTheme | Mapping[str, Any] | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.PortalSession:
        """Makes a link to pages for people of the account: their webhooks, jobs, usage and keys. It can be used once, within ten
        minutes, and signs a browser in for an hour, with its key's rights on those pages; it makes no keys. The
        session ends with the key that made the link, which must be an API key."""
        return await self._client.call(OPERATIONS['create_portal_session'], body={}, maybe={'pages': pages, 'return_url': return_url, 'refresh_url': refresh_url, 'theme': theme}, workspace_id=workspace_id, timeout=timeout)

    def get_statement(
        self,
        *,
        month: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.StatementEntry]:
        """Returns what stood before a month, the journal's entries of it, newest first, and what stands after them. `adds_up`
        says whether the account's balances are what its whole journal adds up to."""
        return self._client.pages(OPERATIONS['get_statement'], query={'month': month, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)


class AsyncResearch(AsyncGroup):
    """The operations of `research`."""

    __slots__ = ()

    async def pull_posts(
        self,
        *,
        url: str,
        limit: int | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPulledPosts:
        """Fetches the newest posts of a feed (RSS, Atom, JSON Feed), or the one post that a page is (Open Graph, oEmbed). Texts
        are plain. A post is stored once, by its URL; pulled again, it is updated. Posts that nobody keeps
        (`keep_post`) are deleted after 30 days, or once the workspaces of the account have 5,000 posts. A kept post
        changes only when its own source changes, whatever another source says of it. Nothing is fetched behind a
        login."""
        return await self._client.call(OPERATIONS['pull_posts'], body={'url': url}, maybe={'limit': limit}, workspace_id=workspace_id, timeout=timeout)

    def list_posts(
        self,
        *,
        query: str | None = None,
        source: str | None = None,
        kept: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.Post]:
        """Lists the posts that were pulled into the workspace, newest first."""
        return self._client.pages(OPERATIONS['list_posts'], body={}, maybe={'query': query, 'source': source, 'kept': kept, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def keep_post(
        self,
        *,
        post_id: str,
        tags: Sequence[str] | None = None,
        import_media: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerPostAnswer:
        """The post stays until it is deleted. `import_media: true` imports the first of its media as an item, as `import_media`
        does, with the reads of the workspace's settings; a post whose media was imported before is not imported
        again."""
        return await self._client.call(OPERATIONS['keep_post'], body={'post_id': post_id}, maybe={'tags': tags, 'import_media': import_media}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_post(
        self,
        *,
        post_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedPost:
        """An item that was imported from it stays."""
        return await self._client.call(OPERATIONS['delete_post'], body={'post_id': post_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)


class AsyncModels(AsyncGroup):
    """The operations of `models`."""

    __slots__ = ()

    async def get_models(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ModelList:
        """Lists the built-in engines, and the models of the configured providers, with their prices."""
        return await self._client.call(OPERATIONS['get_models'], workspace_id=workspace_id, timeout=timeout)

    async def list_models(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerModelPage:
        """The same list as `GET /models`, as a tool."""
        return await self._client.call(OPERATIONS['list_models'], body={}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def estimate_cost(
        self,
        *,
        tool: str,
        arguments: Mapping[str, Any],
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCostEstimate:
        """Returns the minutes and AI credits that a call of a tool would hold, without making it: what the tool answers to the
        same arguments with `dry_run: true`. A tool that itself costs nothing is not called; what the reads of an
        import will cost is `minutes_per_imported_minute`. What a tool that is called would refuse is refused here
        too."""
        return await self._client.call(OPERATIONS['estimate_cost'], body={'tool': tool, 'arguments': arguments}, maybe={}, workspace_id=workspace_id, timeout=timeout)


class AsyncGeneration(AsyncGroup):
    """The operations of `generation`."""

    __slots__ = ()

    async def generate_image(
        self,
        *,
        prompt: str,
        model: str | None = None,
        width: int | None = None,
        height: int | None = None,
        seed: int | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a picture from a text, by a provider's model, in a job that makes a new item. It is paid for in AI credits, held
        when the job starts and charged when it succeeds, never more than was held. The same call makes the same item
        once: give another `seed` for another picture."""
        return await self._client.call(OPERATIONS['generate_image'], body={'prompt': prompt}, maybe={'model': model, 'width': width, 'height': height, 'seed': seed, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def generate_video(
        self,
        *,
        prompt: str,
        ref: str | None = None,
        model: str | None = None,
        seconds: int | None = None,
        width: int | None = None,
        height: int | None = None,
        seed: int | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a film from a text, and from a picture to begin with if `ref` names one, by a provider's model, in a job that
        makes a new item. It is paid for in AI credits as pictures are."""
        return await self._client.call(OPERATIONS['generate_video'], body={'prompt': prompt}, maybe={'ref': ref, 'model': model, 'seconds': seconds, 'width': width, 'height': height, 'seed': seed, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def generate_audio(
        self,
        *,
        text: str | None = None,
        prompt: str | None = None,
        voice: str | None = None,
        language: str | None = None,
        model: str | None = None,
        seconds: int | None = None,
        seed: int | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes speech from `text`, or sound such as music from a `prompt`, in a job that makes a new item. Two speech engines
        are built in and cost no AI credits, only minutes of speech; their quality is draft. A text that their voice
        has no sounds for is refused, and `warnings` names letters that it leaves out. Whatever is made so is
        `synthetic`."""
        return await self._client.call(OPERATIONS['generate_audio'], body={}, maybe={'text': text, 'prompt': prompt, 'voice': voice, 'language': language, 'model': model, 'seconds': seconds, 'seed': seed, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def upscale_media(
        self,
        *,
        ref: str,
        factor: int,
        model: str | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a new item that is two or four times as wide and as high. `lanczos`, which is built in, resamples and invents
        nothing; it costs minutes as renders do, and no AI credits."""
        return await self._client.call(OPERATIONS['upscale_media'], body={'ref': ref, 'factor': factor}, maybe={'model': model, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def cut_out(
        self,
        *,
        ref: str,
        color: str | None = None,
        similarity: int | None = None,
        model: str | None = None,
        context: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerGenerationAnswer:
        """Makes a new item whose background is transparent: a PNG of a picture, a `WebM` with an alpha channel of a film.
        `chroma-key`, which is built in, takes everything close to `color` as background; it costs minutes as renders
        do, and no AI credits."""
        return await self._client.call(OPERATIONS['cut_out'], body={'ref': ref}, maybe={'color': color, 'similarity': similarity, 'model': model, 'context': context, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def dub(
        self,
        *,
        target_language: str,
        ref: str | None = None,
        timeline_id: str | None = None,
        timeline_revision: int | None = None,
        source_language: str | None = None,
        script: Sequence[types.ScriptSegment | Mapping[str, Any]] | None = None,
        voices: Sequence[types.SpeakerVoice | Mapping[str, Any]] | None = None,
        keep_background: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubStanding:
        """Translates the speech of an item and speaks it in another language, in a job of kind `dub` that makes a new item, a
        timeline with the new voices as its voiceover, and a dub to edit. It needs the item's `transcript` and
        `speakers` reads: stored ones are used at no charge. If one is missing, its job is started or joined and the
        answer is `queued`: follow `job_id` with `get_jobs` and call again. With `script` neither is needed. Of a
        timeline (`timeline_id`) the film is dubbed, and the new timeline is its variant: a film that is missing is
        rendered first, in the same way. Name `timeline_revision` in each call, so that an edit in between changes
        nothing. If the operator has configured a model for it, that translates, for AI credits (`translator`);
        otherwise a built-in engine does. Built-in engines speak, at draft quality: listen to the result, and change
        it with `edit_dub`. The same call makes the same dub once, until the dub or its item is deleted."""
        return await self._client.call(OPERATIONS['dub'], body={'target_language': target_language}, maybe={'ref': ref, 'timeline_id': timeline_id, 'timeline_revision': timeline_revision, 'source_language': source_language, 'script': script, 'voices': voices, 'keep_background': keep_background, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_dubs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedDub]:
        """Newest first, without their segments."""
        return self._client.pages(OPERATIONS['list_dubs'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_dub(
        self,
        *,
        dub_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubAnswer:
        """With all its segments, what was last spoken, and whether it was changed since. `warnings` names what its voices leave
        out."""
        return await self._client.call(OPERATIONS['get_dub'], body={'dub_id': dub_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def edit_dub(
        self,
        *,
        dub_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.DubOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubAnswer:
        """Changes its name or its segments: `ops` are applied in order, all of them or none, and a refusal names the one that
        can't be applied. A new text that its segment's voice has no sounds for is refused too. Nothing is spoken:
        `render_dub` speaks the changes. The last 50 changes can be undone with `undo_dub`."""
        return await self._client.call(OPERATIONS['edit_dub'], body={'dub_id': dub_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def undo_dub(
        self,
        *,
        dub_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubAnswer:
        """Restores what the dub was before its latest change, as a new revision. A second call undoes the change before."""
        return await self._client.call(OPERATIONS['undo_dub'], body={'dub_id': dub_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def render_dub(
        self,
        *,
        dub_id: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDubStanding:
        """Starts a job that makes a new item of the dub as it is now, and puts the new voices into the dub's timeline. Only
        segments whose text, voice or time changed are spoken; the job's result counts them (`spoken`, `reused`). If
        the dub has not changed, the answer is `ready`."""
        return await self._client.call(OPERATIONS['render_dub'], body={'dub_id': dub_id}, maybe={'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_dub(
        self,
        *,
        dub_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedDub:
        """Its history is deleted too. Its timeline and the items that were made of it stay."""
        return await self._client.call(OPERATIONS['delete_dub'], body={'dub_id': dub_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)


class AsyncTimeline(AsyncGroup):
    """The operations of `timeline`."""

    __slots__ = ()

    async def create_timeline(
        self,
        *,
        name: str,
        ops: Sequence[types.TimelineOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """Creates a sequence of scenes, with sound, with pictures and texts over the scenes, and with captions. It is empty, or
        what `ops` make of it. A workspace has at most 500 timelines."""
        return await self._client.call(OPERATIONS['create_timeline'], body={'name': name}, maybe={'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_timelines(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedTimeline]:
        """Newest first, without their scenes, sound, overlays and captions."""
        return self._client.pages(OPERATIONS['list_timelines'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_timeline(
        self,
        *,
        timeline_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """With everything in it, the time at which each scene begins, and links to what the scenes show. Parts whose item is
        deleted say so."""
        return await self._client.call(OPERATIONS['get_timeline'], body={'timeline_id': timeline_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def edit_timeline(
        self,
        *,
        timeline_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.TimelineOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """Changes its name or its contents: `ops` are applied in order, all of them or none, and a refusal names the one that
        can't be applied. The last 50 changes can be undone with `undo_timeline`."""
        return await self._client.call(OPERATIONS['edit_timeline'], body={'timeline_id': timeline_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def undo_timeline(
        self,
        *,
        timeline_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerTimelineAnswer:
        """Restores what the timeline was before its latest change, as a new revision. A second call undoes the change before."""
        return await self._client.call(OPERATIONS['undo_timeline'], body={'timeline_id': timeline_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_timeline(
        self,
        *,
        timeline_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedTimeline:
        """Its history is deleted too. The items that it names, and those that were rendered from it, stay."""
        return await self._client.call(OPERATIONS['delete_timeline'], body={'timeline_id': timeline_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def render_timeline(
        self,
        *,
        timeline_id: str,
        format: types.RenderFormat | None = None,
        quality: types.RenderQuality | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerRenderedTimeline:
        """Starts a job that makes a new item of the timeline as it is now: a film of its scenes, cut to the frame, with its
        overlays and its sound, or the sound alone. It costs as much as a render of its length, or as decoding up to
        the parts that it uses, if that is more. While a film's item exists, the same film is not made again. Tracks
        are turned down under the speech of those items whose `speech` read is stored; captions in the picture come
        from stored transcripts, or from the timeline's cues. `warnings` names what is missing."""
        return await self._client.call(OPERATIONS['render_timeline'], body={'timeline_id': timeline_id}, maybe={'format': format, 'quality': quality, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def export_timeline(
        self,
        *,
        timeline_id: str,
        format: types.CarryFormat,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerExportedTimeline:
        """Returns it as `OpenTimelineIO`, which `import_timeline` restores unchanged; as an edit decision list; or as captions:
        its own cues, or those of the stored transcripts of its scenes and its voiceover."""
        return await self._client.call(OPERATIONS['export_timeline'], body={'timeline_id': timeline_id, 'format': format}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def import_timeline(
        self,
        *,
        content: str,
        format: types.CarryFormat | None = None,
        fps: float | None = None,
        name: str | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerImportedTimeline:
        """Makes a new timeline of an `OpenTimelineIO` document, whose first video track's clips become the scenes and whose
        audio tracks' clips the sound; of an edit decision list, whose events become the same; or of captions, which
        become its cues. Media that are not items of the workspace leave a black scene in their place, and what can't
        be rendered is left out; `warnings` names both."""
        return await self._client.call(OPERATIONS['import_timeline'], body={'content': content}, maybe={'format': format, 'fps': fps, 'name': name}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)


class AsyncCanvas(AsyncGroup):
    """The operations of `canvas`."""

    __slots__ = ()

    async def create_canvas(
        self,
        *,
        width: int,
        height: int,
        name: str | None = None,
        background: str | None = None,
        layers: Sequence[types.NewLayer | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """Creates a picture of stacked layers: images and frames of films, texts, shapes, gradients, logos. `{name}` in a text
        is a placeholder that a render fills, so that one canvas makes many pictures. A workspace has at most 500
        canvases."""
        return await self._client.call(OPERATIONS['create_canvas'], body={'width': width, 'height': height}, maybe={'name': name, 'background': background, 'layers': layers}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_canvases(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedCanvas]:
        """Newest first, without their layers."""
        return self._client.pages(OPERATIONS['list_canvases'], body={}, maybe={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_canvas(
        self,
        *,
        canvas_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """With all its layers, the lowest first, its placeholders, and links to the items that it shows. A layer whose item is
        deleted says so."""
        return await self._client.call(OPERATIONS['get_canvas'], body={'canvas_id': canvas_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def edit_canvas(
        self,
        *,
        canvas_id: str,
        if_revision: int | None = None,
        name: str | None = None,
        ops: Sequence[types.CanvasOp | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """Changes its name or its layers: `ops` are applied in order, all of them or none, and a refusal names the one that
        can't be applied. The last 50 changes can be undone with `undo_canvas`."""
        return await self._client.call(OPERATIONS['edit_canvas'], body={'canvas_id': canvas_id}, maybe={'if_revision': if_revision, 'name': name, 'ops': ops}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def undo_canvas(
        self,
        *,
        canvas_id: str,
        if_revision: int | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerCanvasAnswer:
        """Restores what the canvas was before its latest change, as a new revision. A second call undoes the change before."""
        return await self._client.call(OPERATIONS['undo_canvas'], body={'canvas_id': canvas_id}, maybe={'if_revision': if_revision}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def delete_canvas(
        self,
        *,
        canvas_id: str,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerDeletedCanvas:
        """Its history is deleted too. The items that it shows, and those that were rendered from it, stay."""
        return await self._client.call(OPERATIONS['delete_canvas'], body={'canvas_id': canvas_id}, maybe={}, workspace_id=workspace_id, timeout=timeout)

    async def render_canvas(
        self,
        *,
        canvas_id: str,
        format: types.PictureFormat | None = None,
        scale: float | None = None,
        values: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.ToolAnswerRenderedCanvas:
        """Starts a job that makes a new image of the canvas as it is now, with `values` for its placeholders and the names of
        the brand kit resolved now. The same canvas always gives the same bytes, and while a picture's item exists the
        same picture is not made again. It costs as much as one second of film for each 3840 × 2160 pixels begun, or
        the cost of decoding its images if that is more. `warnings` names letters that the fonts lack."""
        return await self._client.call(OPERATIONS['render_canvas'], body={'canvas_id': canvas_id}, maybe={'format': format, 'scale': scale, 'values': values, 'dry_run': dry_run}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)


class AsyncUploads(AsyncGroup):
    """The operations of `uploads`."""

    __slots__ = ()

    async def create_upload(
        self,
        *,
        filename: str | None = None,
        content_type: str | None = None,
        bytes: int | None = None,
        sha256: str | None = None,
        url: str | None = None,
        ref: str | None = None,
        reads: Sequence[types.ReadKind] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Upload:
        """With `filename`, `content_type` and `bytes`: PUT the bytes as `upload` says, then call `complete`. With `url`: a
        worker fetches the file, and there is nothing more to do."""
        return await self._client.call(OPERATIONS['create_upload'], body={}, maybe={'filename': filename, 'content_type': content_type, 'bytes': bytes, 'sha256': sha256, 'url': url, 'ref': ref, 'reads': reads}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    async def get_upload(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.UploadDetail:
        """Returns its status, and why it failed. The URL that takes its bytes is not shown: only `POST /uploads` returns it. An
        upload that has ended is kept as long as jobs are."""
        return await self._client.call(OPERATIONS['get_upload'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    async def complete_upload(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.LibraryItem:
        """Hands the bytes to a worker and returns the item in `processing`; `GET /library/items/{id}` says when it is `ready` or
        `failed`. Completing it again returns the item again."""
        return await self._client.call(OPERATIONS['complete_upload'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)


class AsyncWebhooks(AsyncGroup):
    """The operations of `webhooks`."""

    __slots__ = ()

    async def create_webhook(
        self,
        *,
        url: str,
        description: str | None = None,
        event_types: Sequence[types.Subscribed] | None = None,
        kinds: Sequence[types.JobKindWord] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Webhook:
        """It gets the events of jobs that end in any workspace of the account. An account has at most ten (contract §8)."""
        return await self._client.call(OPERATIONS['create_webhook'], body={'url': url}, maybe={'description': description, 'event_types': event_types, 'kinds': kinds}, idempotency_key=idempotency_key, workspace_id=workspace_id, timeout=timeout)

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.Webhook]:
        """The account's endpoints, newest first, each with its number of consecutive failures."""
        return self._client.pages(OPERATIONS['list_webhooks'], query={'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_webhook(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Webhook:
        """Get a webhook endpoint"""
        return await self._client.call(OPERATIONS['get_webhook'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    async def update_webhook(
        self,
        id: str,
        *,
        url: str | None = None,
        description: str | None = None,
        event_types: Sequence[types.Subscribed] | None = None,
        kinds: Sequence[types.JobKindWord] | None = None,
        enabled: bool | None = None,
        test: bool | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Webhook:
        """With `test: true` one ping is sent now, after the changes; its result counts neither as failure nor as success, and it
        is not retried. An endpoint takes ten pings a minute."""
        return await self._client.call(OPERATIONS['update_webhook'], path={'id': id}, body={}, maybe={'url': url, 'description': description, 'event_types': event_types, 'kinds': kinds, 'enabled': enabled, 'test': test}, workspace_id=workspace_id, timeout=timeout)

    async def delete_webhook(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Its pending deliveries are cancelled."""
        return await self._client.call(OPERATIONS['delete_webhook'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)

    def list_deliveries(
        self,
        id: str,
        *,
        status: types.Status | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.Delivery]:
        """Lists the endpoint's deliveries, newest first, with the receiver's status and the error. They are kept for 30 days.
        With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and still be
        followed by more."""
        return self._client.pages(OPERATIONS['list_deliveries'], path={'id': id}, query={'status': status, 'event_type': event_type, 'http_status': http_status, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def resend_delivery(
        self,
        id: str,
        *,
        delivery_id: str | None = None,
        since: str | datetime | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Resent:
        """With `delivery_id`, sends that delivery again from its first attempt: a new delivery, which names it in `resend_of`.
        If that one, or a resend of it, is still pending, it is cancelled. With `since`, sends every event since then
        whose last delivery failed or was skipped."""
        return await self._client.call(OPERATIONS['resend_delivery'], path={'id': id}, body={}, maybe={'delivery_id': delivery_id, 'since': since}, workspace_id=workspace_id, timeout=timeout)

    async def get_delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.DeliveryDetail:
        """With the requests that were sent: the body, and for each attempt the host, the path and the headers with the
        signature."""
        return await self._client.call(OPERATIONS['get_delivery'], path={'id': id, 'delivery_id': delivery_id}, workspace_id=workspace_id, timeout=timeout)

    async def get_webhook_secret(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Secret:
        """The secret signs every endpoint of the account. Refused for a script session token."""
        return await self._client.call(OPERATIONS['get_webhook_secret'], workspace_id=workspace_id, timeout=timeout)

    async def create_webhook_secret(
        self,
        *,
        rotate: bool | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Secret:
        """Without `rotate` it returns the existing secret, or creates one. With `rotate: true` it creates a new one; the old one
        keeps verifying for 24 hours, in which there can be no other rotation. Refused for a script session token."""
        return await self._client.call(OPERATIONS['create_webhook_secret'], body={}, maybe={'rotate': rotate}, workspace_id=workspace_id, timeout=timeout)

    async def delete_webhook_secret(
        self,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.Deleted:
        """Deliveries are then signed with the shared default secret. A previous secret that still verified after a rotation is
        removed too. Refused for a script session token."""
        return await self._client.call(OPERATIONS['delete_webhook_secret'], workspace_id=workspace_id, timeout=timeout)

    def list_events(
        self,
        *,
        type: types.Subscribed | None = None,
        since: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.JobEvent]:
        """The account's job events, newest first, as endpoints are sent them, whether it has endpoints or not. They are kept for
        30 days. With filters a page looks through 2,000 events: it may have fewer than `limit`, or none, and still be
        followed by more."""
        return self._client.pages(OPERATIONS['list_events'], query={'type': type, 'since': since, 'limit': limit, 'cursor': cursor}, workspace_id=workspace_id, timeout=timeout)

    async def get_event(
        self,
        id: str,
        *,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.AnyEvent:
        """Returns the exact JSON that endpoints are sent, also for a ping. Events are kept for 30 days."""
        return await self._client.call(OPERATIONS['get_event'], path={'id': id}, workspace_id=workspace_id, timeout=timeout)


class AsyncOperator(AsyncGroup):
    """The operations of `operator`."""

    __slots__ = ()

    async def operator_create_account(
        self,
        *,
        name: str,
        workspace_name: str | None = None,
        monthly_allowance_minutes: float | None = None,
        create_key: bool | None = None,
        timeout: float | None = None,
    ) -> types.OpenedAccount:
        """It has a default workspace, and an API key for it if one is requested."""
        return await self._client.call(OPERATIONS['operator_create_account'], body={'name': name}, maybe={'workspace_name': workspace_name, 'monthly_allowance_minutes': monthly_allowance_minutes, 'create_key': create_key}, timeout=timeout)

    def operator_list_accounts(
        self,
        *,
        name: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.OperatorAccount]:
        """All accounts, newest first."""
        return self._client.pages(OPERATIONS['operator_list_accounts'], query={'name': name, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_get_account(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.AccountDetail:
        """Returns the account, its balances, and the processor time that its work used unpaid."""
        return await self._client.call(OPERATIONS['operator_get_account'], path={'id': id}, timeout=timeout)

    async def operator_update_account(
        self,
        id: str,
        *,
        name: str,
        timeout: float | None = None,
    ) -> types.OperatorAccount:
        """Changes its name. Minutes are given by `POST /operator/accounts/{id}/minutes`."""
        return await self._client.call(OPERATIONS['operator_update_account'], path={'id': id}, body={'name': name}, maybe={}, timeout=timeout)

    async def operator_forgive_processor_time(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.AccountDetail:
        """The time that its media and jobs used unpaid no longer counts, nor do its jobs of a day that were stopped or failed:
        jobs and uploads are accepted at once, and work that was put off continues."""
        return await self._client.call(OPERATIONS['operator_forgive_processor_time'], path={'id': id}, timeout=timeout)

    async def operator_suspend_account(
        self,
        id: str,
        *,
        reason: str,
        end_work: bool | None = None,
        timeout: float | None = None,
    ) -> types.SuspendedAccount:
        """All its credentials are refused with 403 `account_suspended`, its open event streams end, its queued jobs wait, and
        its endpoints get no events: events are `skipped`, and can be sent again once it is resumed. Running work
        continues unless `end_work` is true. Nothing is deleted. Repeated, it changes the reason."""
        return await self._client.call(OPERATIONS['operator_suspend_account'], path={'id': id}, body={'reason': reason}, maybe={'end_work': end_work}, timeout=timeout)

    async def operator_resume_account(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.OperatorAccount:
        """Its credentials are accepted again, its jobs continue, and the endpoints that the suspension disabled are enabled."""
        return await self._client.call(OPERATIONS['operator_resume_account'], path={'id': id}, timeout=timeout)

    def operator_list_keys(
        self,
        *,
        account_id: str,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.OperatorKey]:
        """Live and revoked keys, newest first, without the secrets."""
        return self._client.pages(OPERATIONS['operator_list_keys'], query={'account_id': account_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_create_key(
        self,
        id: str,
        *,
        name: str | None = None,
        workspace_id: str | None = None,
        timeout: float | None = None,
    ) -> types.CreatedKey:
        """As `POST /keys` creates one for its own account, and within the same bound of ten: for an account that has no key yet,
        or has lost it. Only this answer shows it. The account's audit log says that an operator made it."""
        return await self._client.call(OPERATIONS['operator_create_key'], path={'id': id}, body={}, maybe={'name': name, 'workspace_id': workspace_id}, timeout=timeout)

    async def operator_revoke_key(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.Deleted:
        """This works for any account's key: the key, the sessions made with it and its open event streams end at once; jobs that
        were already dispatched continue. Its owner sees it in their audit log."""
        return await self._client.call(OPERATIONS['operator_revoke_key'], path={'id': id}, timeout=timeout)

    async def operator_erase_account(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.ErasedAnswer:
        """It must be suspended. Its workspaces with their items and projects, its users, endpoints, signing secret, audit log
        and name are erased for good; bytes are deleted as for deleted items. Ids and the ledger stay. Repeated, it
        continues where it stopped."""
        return await self._client.call(OPERATIONS['operator_erase_account'], path={'id': id}, timeout=timeout)

    async def operator_erase_workspace(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.ErasedAnswer:
        """Its items, projects, members, keys and name are erased for good. An account's default workspace is erased with its
        account only."""
        return await self._client.call(OPERATIONS['operator_erase_workspace'], path={'id': id}, timeout=timeout)

    async def operator_erase_item(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.ErasedAnswer:
        """Deletes it as its owner could, and erases its name at once. An item that was deleted before loses its name too."""
        return await self._client.call(OPERATIONS['operator_erase_item'], path={'id': id}, timeout=timeout)

    async def operator_create_user(
        self,
        *,
        account_id: str,
        name: str,
        oauth_subject: str | None = None,
        oauth_issuer: str | None = None,
        timeout: float | None = None,
    ) -> types.OperatorUser:
        """With `oauth_subject`, whoever presents an access token with that subject is this user, whatever `MWS_OAUTH_SIGNUP`
        says. They can use the workspaces of which they are members."""
        return await self._client.call(OPERATIONS['operator_create_user'], body={'account_id': account_id, 'name': name}, maybe={'oauth_subject': oauth_subject, 'oauth_issuer': oauth_issuer}, timeout=timeout)

    def operator_list_users(
        self,
        *,
        account_id: str | None = None,
        oauth_subject: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.OperatorUser]:
        """All users, newest first."""
        return self._client.pages(OPERATIONS['operator_list_users'], query={'account_id': account_id, 'oauth_subject': oauth_subject, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_update_user(
        self,
        id: str,
        *,
        name: str | None = None,
        oauth_subject: str | None = None,
        oauth_issuer: str | None = None,
        disabled: bool | None = None,
        timeout: float | None = None,
    ) -> types.OperatorUser:
        """Changes their name, the tokens that stand for them, or whether they are admitted."""
        return await self._client.call(OPERATIONS['operator_update_user'], path={'id': id}, body={}, maybe={'name': name, 'oauth_subject': oauth_subject, 'oauth_issuer': oauth_issuer, 'disabled': disabled}, timeout=timeout)

    async def operator_create_workspace(
        self,
        *,
        account_id: str,
        name: str,
        timeout: float | None = None,
    ) -> types.OperatorWorkspace:
        """The first workspace of an account is its default."""
        return await self._client.call(OPERATIONS['operator_create_workspace'], body={'account_id': account_id, 'name': name}, maybe={}, timeout=timeout)

    def operator_list_workspaces(
        self,
        *,
        account_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.OperatorWorkspace]:
        """All workspaces, newest first."""
        return self._client.pages(OPERATIONS['operator_list_workspaces'], query={'account_id': account_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_update_workspace(
        self,
        id: str,
        *,
        name: str | None = None,
        is_default: bool | None = None,
        timeout: float | None = None,
    ) -> types.OperatorWorkspace:
        """Changes its name, or makes it its account's default."""
        return await self._client.call(OPERATIONS['operator_update_workspace'], path={'id': id}, body={}, maybe={'name': name, 'is_default': is_default}, timeout=timeout)

    async def operator_put_member(
        self,
        *,
        workspace_id: str,
        user_id: str,
        role: types.RoleWord,
        timeout: float | None = None,
    ) -> types.OperatorMember:
        """Makes them a member, or changes a member's role."""
        return await self._client.call(OPERATIONS['operator_put_member'], body={'workspace_id': workspace_id, 'user_id': user_id, 'role': role}, maybe={}, timeout=timeout)

    def operator_list_members(
        self,
        *,
        workspace_id: str | None = None,
        user_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.OperatorMember]:
        """Lists the members of a workspace, or the memberships of a user: give exactly one of the two."""
        return self._client.pages(OPERATIONS['operator_list_members'], query={'workspace_id': workspace_id, 'user_id': user_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_delete_member(
        self,
        workspace_id: str,
        user_id: str,
        *,
        timeout: float | None = None,
    ) -> types.Deleted:
        """The user loses access to the workspace at once: their sessions there end, and the keys to the workspace's account that
        they made, or whose keys made them, are revoked. Work that they have started continues. If the account is
        their own, they remain one of its users: disable them to keep them out of all of it."""
        return await self._client.call(OPERATIONS['operator_delete_member'], path={'workspaceId': workspace_id, 'userId': user_id}, timeout=timeout)

    async def operator_give_minutes(
        self,
        id: str,
        *,
        kind: types.Giving,
        minutes: float,
        note: str | None = None,
        reference: str | None = None,
        timeout: float | None = None,
    ) -> types.GivenMinutes:
        """A grant adds to the current month, a purchase to the purchased minutes, an allowance sets the minutes of each month.
        An allowance below what is used and held leaves nothing, and takes nothing back."""
        return await self._client.call(OPERATIONS['operator_give_minutes'], path={'id': id}, body={'kind': kind, 'minutes': minutes}, maybe={'note': note, 'reference': reference}, timeout=timeout)

    async def operator_give_credits(
        self,
        id: str,
        *,
        kind: types.GivingCredits,
        credits: float,
        note: str | None = None,
        reference: str | None = None,
        timeout: float | None = None,
    ) -> types.GivenCredits:
        """A grant and a purchase add credits, which never expire; a withdrawal takes back credits that are not held."""
        return await self._client.call(OPERATIONS['operator_give_credits'], path={'id': id}, body={'kind': kind, 'credits': credits}, maybe={'note': note, 'reference': reference}, timeout=timeout)

    async def operator_list_reads(
        self,
        *,
        timeout: float | None = None,
    ) -> types.OperatorReadList:
        """The reads: the engine of each, whether it is paused, and how many of its jobs wait."""
        return await self._client.call(OPERATIONS['operator_list_reads'], timeout=timeout)

    async def operator_update_read(
        self,
        read: str,
        *,
        paused: bool,
        timeout: float | None = None,
    ) -> types.OperatorRead:
        """While a read is paused its running jobs continue, its waiting jobs wait and give their places to others, and calls for
        it are answered `held`. Nothing is cancelled and nothing is charged."""
        return await self._client.call(OPERATIONS['operator_update_read'], path={'read': read}, body={'paused': paused}, maybe={}, timeout=timeout)

    def operator_list_jobs(
        self,
        *,
        status: Sequence[types.JobStatusWord] | None = None,
        kind: Sequence[types.JobKindWord] | None = None,
        read: Sequence[types.ReadKind] | None = None,
        error_code: str | None = None,
        account_id: str | None = None,
        workspace_id: str | None = None,
        item_id: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.OperatorJob]:
        """Newest first. With filters a page looks through 2,000 jobs: it may have fewer than `limit`, or none, and still be
        followed by more. A token of the role `metadata` sees no results and no texts of customers."""
        return self._client.pages(OPERATIONS['operator_list_jobs'], query={'status': status, 'kind': kind, 'read': read, 'error_code': error_code, 'account_id': account_id, 'workspace_id': workspace_id, 'item_id': item_id, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_get_job(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.OperatorJob:
        """Returns the job as its account sees it, and the accounts that own and pay for it. A token of the role `metadata` sees
        no result and no texts of customers."""
        return await self._client.call(OPERATIONS['operator_get_job'], path={'id': id}, timeout=timeout)

    async def operator_cancel_job(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.OperatorJob:
        """A job that is queued is cancelled at once, one that runs when its worker notices. It costs nothing, and its account is
        told as when it cancels a job itself."""
        return await self._client.call(OPERATIONS['operator_cancel_job'], path={'id': id}, timeout=timeout)

    async def operator_retry_job(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.PreparedRead:
        """Starts the read of a failed or cancelled job again, as a new job, for the account that paid for the first one. The
        answer is `prepare_media`'s for that read: `ready` if it has been stored meanwhile, or a reason if it can't
        start. The first job does not change."""
        return await self._client.call(OPERATIONS['operator_retry_job'], path={'id': id}, timeout=timeout)

    def operator_list_deliveries(
        self,
        *,
        account_id: str | None = None,
        endpoint_id: str | None = None,
        job_id: str | None = None,
        status: types.Status | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        error: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.Delivery]:
        """Newest first. With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and still
        be followed by more. For a token of the role `metadata` `response_excerpt` and `response_headers` are null."""
        return self._client.pages(OPERATIONS['operator_list_deliveries'], query={'account_id': account_id, 'endpoint_id': endpoint_id, 'job_id': job_id, 'status': status, 'event_type': event_type, 'http_status': http_status, 'error': error, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_get_delivery(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.DeliveryDetail:
        """With the requests that were sent and what was answered. For a token of the role `metadata` the body, paths, headers
        and excerpts are null."""
        return await self._client.call(OPERATIONS['operator_get_delivery'], path={'id': id}, timeout=timeout)

    async def operator_resend_deliveries(
        self,
        *,
        since: str | datetime,
        dry_run: bool | None = None,
        until: str | datetime | None = None,
        account_id: str | None = None,
        endpoint_id: str | None = None,
        status: types.Unarrived | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        error: str | None = None,
        timeout: float | None = None,
    ) -> types.ResentAll:
        """Sends every event since a time again whose last delivery to an endpoint failed or was skipped, and which matches the
        filters: each as a new delivery, from its first attempt. With `dry_run` they are only counted. One request
        sends at most 50,000; for more, start a bulk operation (`POST /operator/bulk-operations`)."""
        return await self._client.call(OPERATIONS['operator_resend_deliveries'], body={'since': since}, maybe={'dry_run': dry_run, 'until': until, 'account_id': account_id, 'endpoint_id': endpoint_id, 'status': status, 'event_type': event_type, 'http_status': http_status, 'error': error}, timeout=timeout)

    async def operator_resend_delivery(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.Delivery:
        """Sends it again from its first attempt, whether it arrived or not: as a new delivery, which names it in `resend_of`. If
        it, or a resend of it, is still pending, that one is cancelled."""
        return await self._client.call(OPERATIONS['operator_resend_delivery'], path={'id': id}, timeout=timeout)

    def operator_list_webhooks(
        self,
        *,
        account_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.ListedWebhook]:
        """Newest first, with those that their owners removed lately. A URL may hold a secret of its owner's, and is shown
        without its query."""
        return self._client.pages(OPERATIONS['operator_list_webhooks'], query={'account_id': account_id, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_update_webhook(
        self,
        id: str,
        *,
        enabled: bool | None = None,
        test: bool | None = None,
        timeout: float | None = None,
    ) -> types.OperatorWebhook:
        """Enabling and disabling are in the account's own audit log too, without the operator's name. An endpoint of a suspended
        account can't be enabled or tested. A ping's result counts neither as failure nor as success, and it is not
        retried; an endpoint takes ten pings a minute."""
        return await self._client.call(OPERATIONS['operator_update_webhook'], path={'id': id}, body={}, maybe={'enabled': enabled, 'test': test}, timeout=timeout)

    async def operator_start_bulk_operation(
        self,
        *,
        name: str,
        kind: types.BulkKindWord,
        since: str | datetime,
        pace: int | None = None,
        read: types.ReadKind | None = None,
        error_code: str | None = None,
        until: str | datetime | None = None,
        account_id: str | None = None,
        endpoint_id: str | None = None,
        status: types.Unarrived | None = None,
        event_type: types.Kind | None = None,
        http_status: int | None = None,
        error: str | None = None,
        timeout: float | None = None,
    ) -> types.BulkOperationAnswer:
        """Sends again all events whose last delivery to an endpoint failed or was skipped, and which match the filters: each as
        a new delivery, from its first attempt, up to `pace` or 500 a second, the oldest of each endpoint first. Count
        them before with `dry_run` of `POST /operator/deliveries/resend`, and pass on its `until`, which must not lie
        ahead. With the kind `rerun_reads` it runs failed reads again instead, up to 50 a second, for the accounts
        that paid for them: count those before with `GET /operator/failed-reads`. The operation goes on by itself,
        whatever restarts meanwhile; at most five run at once."""
        return await self._client.call(OPERATIONS['operator_start_bulk_operation'], body={'name': name, 'kind': kind, 'since': since}, maybe={'pace': pace, 'read': read, 'error_code': error_code, 'until': until, 'account_id': account_id, 'endpoint_id': endpoint_id, 'status': status, 'event_type': event_type, 'http_status': http_status, 'error': error}, timeout=timeout)

    def operator_list_bulk_operations(
        self,
        *,
        state: types.BulkStateWord | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.BulkOperationAnswer]:
        """Newest first, with how far each is. Those that have ended are kept as long as accounts' audit logs, 400 days unless
        the deployment says otherwise."""
        return self._client.pages(OPERATIONS['operator_list_bulk_operations'], query={'state': state, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_count_failed_reads(
        self,
        *,
        since: str | datetime,
        until: str | datetime | None = None,
        account_id: str | None = None,
        read: types.ReadKind | None = None,
        error_code: str | None = None,
        timeout: float | None = None,
    ) -> types.FailedReads:
        """Counts the reads that failed and were not started again since, by the account that paid for them, with the minutes
        that were held. It is the preview of `POST /operator/bulk-operations` with the kind `rerun_reads`: pass on its
        `until`. An item and read counts once, by its last job."""
        return await self._client.call(OPERATIONS['operator_count_failed_reads'], query={'since': since, 'until': until, 'account_id': account_id, 'read': read, 'error_code': error_code}, timeout=timeout)

    async def operator_get_bulk_operation(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.BulkOperationAnswer:
        """With how far it is."""
        return await self._client.call(OPERATIONS['operator_get_bulk_operation'], path={'id': id}, timeout=timeout)

    async def operator_stop_bulk_operation(
        self,
        id: str,
        *,
        timeout: float | None = None,
    ) -> types.BulkOperationAnswer:
        """What it has sent stays sent, what it has started goes on, and nothing more is. One that has ended stays as it is."""
        return await self._client.call(OPERATIONS['operator_stop_bulk_operation'], path={'id': id}, timeout=timeout)

    def operator_list_audit(
        self,
        *,
        operator: str | None = None,
        action: str | None = None,
        target: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.AuditEntry]:
        """Lists what operators did, newest first, and what they viewed (`view`: once an hour for the same operator and route).
        It is kept for good, can't be changed, and each row carries the hash of the one before it."""
        return self._client.pages(OPERATIONS['operator_list_audit'], query={'operator': operator, 'action': action, 'target': target, 'since': since, 'until': until, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_get_report(
        self,
        *,
        timeout: float | None = None,
    ) -> types.HealthReport:
        """The health of the service on five axes: each with a sentence, the numbers behind it, and the command that helps next.
        Of several troubles at once these tell the worst, and `also` has the others. The same numbers give the same
        words. An axis whose numbers are too old is `unknown`, never `healthy`. `load` has what waits and runs by
        task, and the workers and schedulers; `invariants` the rules that are checked of the rows."""
        return await self._client.call(OPERATIONS['operator_get_report'], timeout=timeout)

    async def operator_list_errors(
        self,
        *,
        timeout: float | None = None,
    ) -> types.OperatorErrorList:
        """The jobs of all accounts that failed within a day, of these the newest 20,000. Those of one kind and read that failed
        with one code and one message are one row; numbers in messages are taken as equal. `GET /operator/jobs` with
        `status`, `read` and `error_code` lists the jobs of a row. `deliveries` has the deliveries that were made
        within a day and whose last attempt failed, among the newest 20,000, also while they are tried again. Those to
        one host with one error and one HTTP status are one row. `GET /operator/deliveries` with `error` and
        `http_status` lists them."""
        return await self._client.call(OPERATIONS['operator_list_errors'], timeout=timeout)

    async def operator_get_retention(
        self,
        *,
        timeout: float | None = None,
    ) -> types.RetentionAnswer:
        """The age of the oldest rows of which old ones are deleted, and how large each table is. Sizes are those of the last
        vacuum or analysis of a table: nothing is counted for it."""
        return await self._client.call(OPERATIONS['operator_get_retention'], timeout=timeout)

    def operator_get_statement(
        self,
        id: str,
        *,
        month: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AsyncPages[types.StatementEntry]:
        """As its account gets it: what stood before the month, the journal's entries of it, newest first, and what stands after
        them. `adds_up` says whether the account's balances are what its whole journal adds up to."""
        return self._client.pages(OPERATIONS['operator_get_statement'], path={'id': id}, query={'month': month, 'limit': limit, 'cursor': cursor}, timeout=timeout)

    async def operator_create_console_link(
        self,
        *,
        timeout: float | None = None,
    ) -> types.ConsoleLink:
        """A browser that follows it is signed in as the operator whose token this is, for twelve hours or until the token
        changes. The link can be used once, within ten minutes."""
        return await self._client.call(OPERATIONS['operator_create_console_link'], timeout=timeout)

    async def operator_create_portal_session(
        self,
        id: str,
        *,
        pages: Sequence[types.PortalPage] | None = None,
        return_url: str | None = None,
        refresh_url: str | None = None,
        theme: types.PortalTheme | Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> types.PortalSession:
        """As `POST /portal-sessions` makes one for its own account: it can be used once, within ten minutes, and signs a browser
        in for an hour. It stands for the newest live key of the account's default workspace, or else for its newest
        one, and ends with that. The account's audit log says that an operator made it."""
        return await self._client.call(OPERATIONS['operator_create_portal_session'], path={'id': id}, body={}, maybe={'pages': pages, 'return_url': return_url, 'refresh_url': refresh_url, 'theme': theme}, timeout=timeout)


class AsyncGroups:
    """What a client has of every tag."""

    def __init__(self, client: Any) -> None:
        self.discovery = AsyncDiscovery(client)
        self.library = AsyncLibrary(client)
        self.workspace = AsyncWorkspace(client)
        self.account = AsyncAccount(client)
        self.research = AsyncResearch(client)
        self.models = AsyncModels(client)
        self.generation = AsyncGeneration(client)
        self.timeline = AsyncTimeline(client)
        self.canvas = AsyncCanvas(client)
        self.uploads = AsyncUploads(client)
        self.webhooks = AsyncWebhooks(client)
        self.operator = AsyncOperator(client)
