/** The limits of passkeys, and when one starts to count. */
import { isFresh } from '../../auth/fresh-sign-in.ts'
import type { PasskeyState } from '../../auth/session.ts'

/** Per person: more than anybody has devices. */
export const MAX_PASSKEYS = 10

export const MAX_PASSKEY_NAME = 60

/** People look at their device for seconds. */
export const CHALLENGE_MINUTES = 5

/** Long enough for the person, or a manager, to read the mail about a passkey of somebody else. */
export const PASSKEY_WAIT_HOURS = 72

export type Passkey = {
  id: string
  name: string
  createdAt: Date
  countsFrom: Date
  usedAt: Date | null
}

/**
 * When a new passkey starts to count: immediately if another one has just confirmed. Otherwise
 * later, because anybody who reads the mailbox can add one.
 */
export const countsFrom = (passkeyAt: Date | null, now: Date): Date =>
  passkeyAt && isFresh(passkeyAt, now)
    ? now
    : new Date(now.getTime() + PASSKEY_WAIT_HOURS * 3_600_000)

export const passkeyStateOf = (
  passkeys: readonly Pick<Passkey, 'countsFrom'>[],
  now: Date,
): PasskeyState => {
  if (passkeys.some((passkey) => passkey.countsFrom <= now)) return 'counts'
  return passkeys.length > 0 ? 'waits' : 'none'
}
