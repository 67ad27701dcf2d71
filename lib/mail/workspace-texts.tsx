/** The texts of emails to managers and members about a workspace itself, and about their own address. */
import { draft } from './compose.tsx'
import type { MemberAddressDetails, SupportAddressDetails, WorkspaceNoticeDetails } from './details.ts'
import type { Draft, Paragraph } from './paragraphs.ts'

type Notice = WorkspaceNoticeDetails['notice']

/** The link by which one of the two addresses approves that a member changes from one to the other. */
export const memberAddressDraft = ({ from, to, isNew, url }: MemberAddressDetails): Draft =>
  draft(
    isNew ? 'Confirm your new email address' : 'Change of your email address',
    'Nothing changes until both links are confirmed.',
    [
      'Hello,',
      ['The member ', { name: from }, ' wants to sign in with ', { name: to }, ' from now on.'],
      isNew
        ? 'A link was also sent to the old address. The address changes once both links have been opened and confirmed.'
        : 'A link was also sent to the new address. The address changes once both links have been opened and confirmed.',
      'Open the link in a browser in which you are signed in with the old address:',
      { button: isNew ? 'Confirm address' : 'Review change', link: url },
      'The link works once, within a day.',
      isNew
        ? 'If you do not know about this, ignore this email. Nothing changes without the link.'
        : 'If you did not ask for this, somebody is signed in as you: cancel the change by the link, then choose “Sign out everywhere” on the page of your sessions. Nothing changes without the link.',
    ],
  )

/** Asks whoever reads the support address of a program whether replies may go there. */
export const supportAddressDraft = ({
  workspaceName,
  programName,
  sentBy,
  url,
}: SupportAddressDetails): Draft =>
  draft(
    `${workspaceName}: confirm the support address of ${programName}`,
    'Replies to emails to partners go to this address once you confirm it.',
    [
      'Hello,',
      [
        { name: sentBy },
        ' wants replies to the emails that ',
        { name: workspaceName },
        ' sends to the partners of ',
        { name: programName },
        ' to arrive at this address.',
      ],
      'If you answer for it, confirm that:',
      { button: 'Confirm address', link: url },
      'The link works for seven days.',
      'If you do not know about this, ignore this email. No reply is sent here without it.',
    ],
  )

const WORDS: Record<
  Notice,
  (details: WorkspaceNoticeDetails) => { subject: string; preview: string; words: Paragraph[] }
> = {
  manager_recovered: ({ workspaceName, person }) => ({
    subject: `A manager was added to ${workspaceName}`,
    preview: 'The operator did this, because its managers could not be reached.',
    words: [
      [
        'The operator of this installation made ',
        { name: person ?? 'somebody' },
        ' a manager of ',
        { name: workspaceName },
        ', because its managers could not be reached.',
      ],
      'If you are a manager and know nothing of it, remove this person on the page of members, and ask the operator.',
    ],
  }),
  deletion_scheduled: ({ workspaceName, person, day }) => ({
    subject: `${workspaceName} is to be deleted on ${day}`,
    preview: 'Until then, any manager can cancel the deletion.',
    words: [
      [
        { name: person ?? 'A manager' },
        ' scheduled the deletion of ',
        { name: workspaceName },
        `. It is deleted on ${day}, with all partners, customers, events and commissions. This cannot be undone then.`,
      ],
      'Until then everything works as before, and any manager can cancel the deletion. Download what you need.',
    ],
  }),
  deletion_canceled: ({ workspaceName, person }) => ({
    subject: `${workspaceName} is not deleted`,
    preview: 'Its deletion was canceled, and everything stays.',
    words: [
      [{ name: person ?? 'A manager' }, ' canceled the deletion of ', { name: workspaceName }, '. It stays.'],
    ],
  }),
  deletion_called_off: ({ workspaceName }) => ({
    subject: `${workspaceName} was not deleted`,
    preview: 'Pay what is due, and schedule the deletion again.',
    words: [
      [
        { name: workspaceName },
        ' was to be deleted today, but partners have earned something since, or a payout is on its way. It stays.',
      ],
      'Pay what is due, and schedule the deletion again.',
    ],
  }),
}

/** A notice as the outbox keeps it. @throws if it is an unknown one */
export const noticeOf = (value: unknown): Notice => {
  if (typeof value === 'string' && Object.hasOwn(WORDS, value)) return value as Notice
  throw new Error('The mail’s details have an unknown notice.')
}

/** Reports to all managers what changes who may manage the workspace, or whether it stays. */
export const workspaceNoticeDraft = (details: WorkspaceNoticeDetails): Draft => {
  const { subject, preview, words } = WORDS[details.notice](details)
  const button: Paragraph[] = details.url ? [{ button: 'Open workspace', link: details.url }] : []
  return draft(subject, preview, [
    'Hello,',
    ...words,
    ...button,
    'All managers of the workspace receive this email.',
  ])
}
