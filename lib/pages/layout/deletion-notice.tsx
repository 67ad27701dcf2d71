import { mayOpen } from '../../auth/roles/roles.ts'
import * as m from '../../languages/messages.ts'
import type { Workspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import { t } from './text.ts'

/** Says on every page of a workspace that it is to be deleted. */
export const DeletionNotice = ({
  workspace,
  deletesAt,
}: {
  workspace: Workspace
  deletesAt: Date
}) => (
  <p class="problem">
    {t(m.settings_deletion_notice, { day: deletesAt.toISOString().slice(0, 10) })}{' '}
    {mayOpen(workspace, 'GET /deletion') && (
      <a href={`/app/${workspace.slug}/deletion`}>{t(m.settings_review_deletion)}</a>
    )}
  </p>
)
