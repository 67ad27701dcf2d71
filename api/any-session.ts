import { WORKSPACE } from './operations.ts'

/**
 * Changes that a session of any age may make, each with the reason. All others need a recent
 * sign-in: tests/attacks/4-fresh-sign-in.test.ts tries each operation.
 */
export const ANY_SESSION: Readonly<Record<string, string>> = {
  'post /api/workspaces': 'Changes no existing workspace.',
  [`post ${WORKSPACE}/programs/{id}/what-if`]: 'Changes nothing.',
  [`post ${WORKSPACE}/groups/{id}/what-if`]: 'Changes nothing.',
  [`post ${WORKSPACE}/programs/{id}/shadow/compare`]:
    'Compares uploaded commissions, and pays nobody.',
  [`post ${WORKSPACE}/partners/{id}/notes`]: 'Notes move no money.',
  [`delete ${WORKSPACE}/partners/{id}/notes/{noteId}`]: 'Notes move no money.',
  [`post ${WORKSPACE}/commissions/{id}/hold`]:
    'Only delays a payout. A release needs a recent sign-in.',
  [`delete ${WORKSPACE}/import-sources/{id}`]: 'Only stops a source, and deletes its token.',
  [`post ${WORKSPACE}/mails/{id}/retry`]: 'Sends the same mail to the same address again.',
  [`post ${WORKSPACE}/webhook-endpoints/{id}/test`]: 'Sends no data of the workspace.',
  [`post ${WORKSPACE}/webhook-endpoints/{id}/resend`]:
    'The endpoint was added with a recent sign-in.',
  [`post ${WORKSPACE}/webhook-deliveries/{id}/resend`]:
    'The endpoint was added with a recent sign-in.',
}
