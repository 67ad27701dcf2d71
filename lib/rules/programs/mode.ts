/** Shadow mode: another platform still pays a program's partners, and no commission is payable. */

export const PROGRAM_MODES = ['live', 'shadow'] as const
export type ProgramMode = (typeof PROGRAM_MODES)[number]

/** What decides whether a program can start a shadow run. */
export type StartFacts = {
  mode: ProgramMode
  /** Whether a cut-over has ended an earlier one. */
  wasCutOver: boolean
  /** Its payout runs that have not claimed everything, and its payouts that are not sent. */
  unfinished: number
  /** Its partners who are owed something, or owe it, but for the test partner. */
  unpaidPartners: number
}

/** Why a program cannot start a shadow run; null if it can, or runs in shadow mode already. */
export const startRefusalOf = ({
  mode,
  wasCutOver,
  unfinished,
  unpaidPartners,
}: StartFacts): string | null => {
  if (mode === 'shadow') return null
  if (wasCutOver)
    return 'This program was cut over from a shadow run, so it pays its partners itself. Use a new program for another shadow run.'
  if (unfinished > 0)
    return 'A payout run of this program has not ended. Finish or cancel it before you start a shadow run.'
  return unpaidPartners > 0
    ? 'Partners have earned something in this program that is not paid. Pay or reverse it before you start a shadow run, or use a new program.'
    : null
}

export const END_REFUSAL =
  'Only the cut-over ends shadow mode. POST /programs/:id/cut-over previews and makes it.'

/** Why a program has no shadow run to work on. */
export const NOT_IN_SHADOW =
  'The program does not run in shadow mode. PATCH /programs/:id with the mode "shadow" starts a shadow run.'

/** Why nothing is added to what partners are owed by a program in shadow mode. */
export const SHADOW_REFUSAL =
  'The program runs in shadow mode: another platform pays its partners. Adjustments and opening balances are possible after the cut-over.'

/** The error code that complete_commission of schema.sql raises. */
const REFUSED = 'TR002'

/** Whether the database refused to add to what a program in shadow mode owes. */
export const isShadowRefusal = (error: unknown): boolean =>
  (error as { code?: unknown }).code === REFUSED
