/** What records are called, on the pages of partners and of managers. */
import type { EntryKind } from '../rules/statements/statements.ts'
import type { CommissionKind } from '../rules/steps/commissions.ts'
import type { EventKind } from '../rules/steps/event-kinds.ts'
import type { Message } from './message.ts'
import * as m from './messages.ts'

/** A kind of event as the first word of a heading. */
export const EVENT_KIND_NAMES: Record<EventKind, Message> = {
  sale: m.kind_sale,
  lead: m.kind_lead,
  refund: m.kind_refund,
}

export const COMMISSION_KIND_NAMES: Record<CommissionKind, Message> = {
  sale: m.kind_sale,
  lead: m.kind_lead,
  opening_balance: m.kind_opening_balance,
  adjustment: m.kind_adjustment,
  bonus: m.kind_bonus,
  reversal: m.kind_reversal,
}

/** Entries of a statement, as one and as the sum of several. */
export const ENTRY_NAMES: Record<EntryKind, { one: Message; sum: Message }> = {
  sale: { one: m.kind_sale, sum: m.sum_sale },
  lead: { one: m.kind_lead, sum: m.leads },
  opening_balance: { one: m.kind_opening_balance, sum: m.sum_opening_balance },
  adjustment: { one: m.kind_adjustment, sum: m.sum_adjustment },
  bonus: { one: m.kind_bonus, sum: m.sum_bonus },
  reversal: { one: m.kind_reversal, sum: m.sum_reversal },
  payout: { one: m.payout, sum: m.sum_payout },
  returned_payout: { one: m.entry_returned, sum: m.sum_returned },
}
