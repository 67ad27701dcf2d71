/** What is allowed with passkeys, and from when one counts. */
import { isFresh } from '../../auth/fresh-sign-in.ts'
import type { PasskeyState } from '../../auth/session.ts'

/** Of one person: more than anybody has devices. */
export const MAX_PASSKEYS = 10

export const MAX_PASSKEY_NAME = 60

/** People look at their device for seconds. */
export const CHALLENGE_MINUTES = 5

/**
 * Long enough for a person, or another manager, to read the mail about a passkey that somebody else
 * has added.
 */
export const PASSKEY_WAIT_HOURS = 72

export type Passkey = {
  id: string
  name: string
  createdAt: Date
  countsFrom: Date
  usedAt: Date | null
}

/**
 * From when a new passkey confirms: at once if another one has just confirmed, for whoever reads
 * the mailbox can add one.
 */
export const countsFrom = (passkeyAt: Date | null, now: Date): Date =>
  passkeyAt && isFresh(passkeyAt, now)
    ? now
    : new Date(now.getTime() + PASSKEY_WAIT_HOURS * 3_600_000)

/** What a person can confirm with. */
export const passkeyStateOf = (
  passkeys: readonly Pick<Passkey, 'countsFrom'>[],
  now: Date,
): PasskeyState => {
  if (passkeys.some((passkey) => passkey.countsFrom <= now)) return 'counts'
  return passkeys.length > 0 ? 'waits' : 'none'
}
