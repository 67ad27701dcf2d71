/** What the days have in common. */
import type { Merchant } from './play.ts'
import type { Due, Partner, Payout } from './terms.ts'

/** Those whom a run by Stripe would pay now. */
export const payable = ({ model, askedNow }: Merchant): Due[] =>
  model.due(askedNow({ method: 'stripe' })).filter(({ code }) => code === null)

export const withCode = ({ model, askedNow }: Merchant, code: string): Due[] =>
  model.due(askedNow({ method: 'stripe' })).filter((one) => one.code === code)

/** Partners whom Stripe can pay whenever something is due. */
export const ready = ({ model }: Merchant): Partner[] =>
  model.partners.filter(
    ({ isBanned, person }) =>
      !isBanned &&
      !person.isUnreachable &&
      person.wants.length === 0 &&
      person.account?.known === 'enabled' &&
      person.account.is === 'enabled',
  )

export const paidByStripe = ({ model }: Merchant): Payout[] =>
  model.payouts.filter(({ method, status }) => method === 'stripe' && status === 'paid')

export const ban = async ({ manager, model, world }: Merchant, partner: Partner): Promise<void> => {
  await manager.patch(`/partners/${partner.id}`, { status: 'banned' })
  partner.isBanned = true
  for (const payout of model.payouts)
    if (payout.partner === partner && payout.method === 'stripe' && payout.status === 'processing')
      model.letGo(payout, 'canceled', world.now())
}

export const reinstate = async ({ manager }: Merchant, partner: Partner): Promise<void> => {
  await manager.patch(`/partners/${partner.id}`, { status: 'approved' })
  partner.isBanned = false
}

/** The commission of an earning, by its partner and amount. */
export const commissionOf = async (
  { all }: Merchant,
  partner: Partner,
  cents: number,
): Promise<string> => {
  const rows = await all<{ id: string; amountCents: number }>(
    `/commissions?partnerId=${partner.id}`,
  )
  return rows.find(({ amountCents }) => amountCents === cents)?.id ?? ''
}

export const at = <T>(list: T[], index: number): T => {
  const one = list[index]
  if (one === undefined) throw new Error(`There is no number ${index} of ${list.length}.`)
  return one
}
