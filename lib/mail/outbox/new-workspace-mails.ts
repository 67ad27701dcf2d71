/** Mails of a new workspace to people who never signed in, where sign-up is open. docs/mail.md. */

export type NewWorkspaceMails = {
  /** The limit per workspace and day, after its first credited sale; 50 by default. */
  NEW_WORKSPACE_DAILY_MAILS?: string
}

/** Enough for a small program to migrate within days, and too few to attract spammers. */
const DEFAULT_DAILY_MAILS = 50

/** @throws if the setting is no whole number */
export const dailyMails = ({ NEW_WORKSPACE_DAILY_MAILS: setting }: NewWorkspaceMails): number => {
  const mails = Number(setting ?? DEFAULT_DAILY_MAILS)
  if (Number.isInteger(mails) && mails >= 0 && mails <= 1_000_000) return mails
  throw new Error('NEW_WORKSPACE_DAILY_MAILS must be a whole number, from 0 to 1000000.')
}
