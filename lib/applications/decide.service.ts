/** Decisions on applications, with their mails and errors, for the API and the pages. */
import type { Context } from 'hono'
import type * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../auth/access.ts'
import { ApiError } from '../http/errors.ts'
import { notFound } from '../http/found-or-404.ts'
import { senderOf } from '../values/emails.ts'
import type { ApplicationRow } from './applications.queries.ts'
import type { Rejection } from './applications.schemas.ts'
import { approveApplication, deleteApplication, rejectApplication } from './decisions.queries.ts'

type Request = Context<WorkspaceEnv>

const decided = () =>
  new ApiError(
    'conflict',
    'This application already has another decision. Read it again to see which.',
  )

/**
 * Makes the applicant a partner, and sends the mail for new partners.
 * @throws {ApiError} `conflict`, `not_found`
 */
export const approve = async (
  c: Request,
  application: ApplicationRow,
  groupId: string | null,
): Promise<void> => {
  const { db, workspace, actor } = c.var
  const sentBy = senderOf(actor)
  const portalUrl = new URL('/portal', c.req.url).href
  const outcome = await approveApplication(db, actOf(c), application, {
    groupId,
    welcome: { workspaceName: workspace.name, sentBy, portalUrl },
    decidedBy: actor,
  })
  if (outcome === 'group_not_found') throw notFound('group')
  if (outcome === 'decided') throw decided()
}

/**
 * Rejects an application, and mails the person if the manager chose to.
 * @throws {ApiError} `conflict`
 */
export const reject = async (
  c: Request,
  application: ApplicationRow,
  { reason, block, sendEmail }: z.output<typeof Rejection>,
): Promise<ApplicationRow> => {
  const { name: applicantName, programName, appliedAt } = application
  if (sendEmail && !appliedAt)
    throw new ApiError(
      'conflict',
      'This person has not answered the invitation. Withdraw it without an email: set `sendEmail` to false.',
    )
  const rejected = await rejectApplication(c.var.db, actOf(c), application, {
    reason,
    blocks: block,
    mail: sendEmail ? { applicantName, programName, reason } : null,
  })
  if (!rejected) throw decided()
  return rejected
}

/** Deletes the application of a person who is not a partner. @throws {ApiError} `conflict` */
export const remove = async (c: Request, application: ApplicationRow): Promise<void> => {
  if (!(await deleteApplication(c.var.db, actOf(c), application)))
    throw new ApiError(
      'conflict',
      'This application was approved. It is removed when you erase the partner.',
    )
}
