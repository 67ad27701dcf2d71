/**
 * How long personal data is kept, in days, and the settings that change it. docs/privacy.md has the
 * reasons.
 */
export const DEFAULTS = {
  /** Recipient and contents of mails, after they were sent. */
  MAIL_RETENTION_DAYS: 90,
  /** Address and name of the buyer, after the last event of the purchase: 18 months. */
  STRIPE_RETENTION_DAYS: 548,
  /** Metadata of events that are credited to nobody: 13 months. */
  METADATA_RETENTION_DAYS: 396,
  /** Webhooks, with their payloads and the responses to them. */
  WEBHOOK_RETENTION_DAYS: 30,
  /** Reports that differ from their events, after they were last sent. */
  MISMATCH_RETENTION_DAYS: 90,
} as const

export type RetentionSettings = { [S in keyof typeof DEFAULTS]?: string }

/** A setting in days. @throws if it is not a whole number of at least `least` */
export const wholeDays = (
  setting: string,
  value: string | undefined,
  otherwise: number,
  least: number,
): number => {
  const days = Number(value ?? otherwise)
  if (!Number.isInteger(days) || days < least || days > 36_500)
    throw new Error(`${setting} must be a whole number of days, from ${least} to 36500.`)
  return days
}

export const daysOf = (settings: RetentionSettings, setting: keyof typeof DEFAULTS): number =>
  wholeDays(setting, settings[setting], DEFAULTS[setting], 1)
