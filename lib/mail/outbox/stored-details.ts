/** Reads the details of mails that the outbox keeps. */
import type { ConnectDetails, MoneyDetails, MovedDetails, PayoutRunDetails } from './details.ts'

/** As they were stored, maybe by an older version. */
export type Stored = Record<string, unknown>

/** A required detail. @throws if it is missing */
export const required = (details: Stored, name: string): string => {
  const value = details[name]
  if (typeof value === 'string' && value) return value
  throw new Error(`The mail’s details lack ${name}.`)
}

/** A detail that not every mail of its kind has. */
export const optional = (details: Stored, name: string): string | null => {
  const value = details[name]
  return typeof value === 'string' ? value : null
}

/** Who a mail to a partner is for, of which program, with the portal’s address. */
export const toPartner = (details: Stored) => ({
  partnerName: optional(details, 'partnerName'),
  programName: required(details, 'programName'),
  portalUrl: required(details, 'portalUrl'),
})

/** The same with the link to share. */
export const toWelcome = (details: Stored) => ({
  ...toPartner(details),
  link: required(details, 'link'),
  workspaceName: optional(details, 'workspaceName'),
  sentBy: optional(details, 'sentBy'),
})

/** The same with the link of the former platform. */
export const toMoved = (details: Stored): MovedDetails => {
  const { url, works } = Object(details.formerLink) as Stored
  return {
    ...toWelcome(details),
    ...(typeof url === 'string' && { formerLink: { url, works: works === true } }),
  }
}

/** The same as `toPartner` with an amount. */
export const aboutMoney = (details: Stored): MoneyDetails => ({
  ...toPartner(details),
  amount: required(details, 'amount'),
})

/** The same with what keeps a partner from being paid. */
export const aboutConnecting = (details: Stored): ConnectDetails => ({
  ...aboutMoney(details),
  problem: details.problem === 'account_restricted' ? 'account_restricted' : 'not_connected',
})

/** What a manager reads of a payout run. */
export const aboutRun = (details: Stored): PayoutRunDetails => ({
  workspaceName: required(details, 'workspaceName'),
  programName: optional(details, 'programName'),
  day: optional(details, 'day'),
  sums: Array.isArray(details.sums) ? details.sums : [],
  messages: Array.isArray(details.messages) ? details.messages : [],
  url: required(details, 'url'),
})

/** A change of a partner’s address. */
export const aboutAddress = (details: Stored) => ({
  partnerName: optional(details, 'partnerName'),
  from: required(details, 'from'),
  to: required(details, 'to'),
  url: required(details, 'url'),
  workspaceName: optional(details, 'workspaceName'),
  revertUrl: optional(details, 'revertUrl'),
  heldUntil: optional(details, 'heldUntil'),
})
