/** The results of invitations. */

export const INVITATION_STATUSES = [
  'invited',
  'invited_before',
  'partner',
  'applied',
  'blocked',
] as const

export type Invitee = {
  email: string
  /** `invited_before` means within a day, so that no mail is sent. */
  status: (typeof INVITATION_STATUSES)[number]
  /** null for a partner who has not applied. */
  applicationId: string | null
}

export type Invited = Record<
  'invited' | 'invitedBefore' | 'partners' | 'applied' | 'blocked',
  number
>

/** The number of people per result. */
export const countInvitees = (invitees: Invitee[]): Invited => {
  const count = (status: Invitee['status']) =>
    invitees.filter((invitee) => invitee.status === status).length
  return {
    invited: count('invited'),
    invitedBefore: count('invited_before'),
    partners: count('partner'),
    applied: count('applied'),
    blocked: count('blocked'),
  }
}
