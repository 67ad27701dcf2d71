import type { Workspace } from '../workspace/workspaces.queries.ts'

/** Says on every page of a workspace that it is to be deleted. */
export const DeletionNotice = ({ workspace, deletesAt }: { workspace: Workspace; deletesAt: Date }) => (
  <p class="problem">
    This workspace is deleted after {deletesAt.toISOString().slice(0, 10)} (UTC).{' '}
    {workspace.role === 'manager' && <a href={`/app/${workspace.slug}/deletion`}>Review the deletion</a>}
  </p>
)
