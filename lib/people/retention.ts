/** How long what names people is kept, in days, and the settings that change it. docs/privacy.md has the reasons. */
export const DEFAULTS = {
  /** Recipient and contents of mails, after they were sent. */
  MAIL_RETENTION_DAYS: 90,
  /** Address and name of the buyer, after the last event of the purchase: 18 months. */
  STRIPE_RETENTION_DAYS: 548,
  /** Metadata of events that nobody was credited with: 13 months. */
  METADATA_RETENTION_DAYS: 396,
} as const

export type RetentionSettings = { [S in keyof typeof DEFAULTS]?: string }

/** @throws if the setting is no whole number of days */
export const daysOf = (settings: RetentionSettings, setting: keyof typeof DEFAULTS): number => {
  const days = Number(settings[setting] ?? DEFAULTS[setting])
  if (!Number.isInteger(days) || days < 1 || days > 36_500)
    throw new Error(`${setting} must be a whole number of days, from 1 to 36500.`)
  return days
}
