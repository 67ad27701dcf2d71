/**
 * March 3 to 6: the first runs by Stripe, a short balance, bans, cancellations, and what banks and
 * Stripe send back.
 */
import { expect } from 'vitest'
import { fieldsOf } from '../../support/pages.ts'
import { at, ban, commissionOf, paidByStripe, payable, ready, reinstate } from './acts.ts'
import { MANAGER, type RunResult, SECOND, SHOP } from './merchant.ts'
import type { Merchant } from './play.ts'
import type { Payout } from './terms.ts'

/**
 * March 3: the first run, by the page, with too few euros. What comes between the preview and the
 * button only reduces.
 */
export const firstRun = async (merchant: Merchant): Promise<void> => {
  const { world, model, pages, manager, adjust, askedNow, comparePayouts, claimAndSend } = merchant
  await world.wait(600)
  const disputed = model.earnings.find(
    ({ sale, currency, partner }) =>
      sale &&
      currency === 'USD' &&
      partner.program === SHOP &&
      partner.person.account?.is === 'enabled',
  )
  if (!disputed) throw new Error('Nobody sold for dollars.')
  await merchant.dispute(disputed, 'needs_response')
  const dollars = payable(merchant).filter(({ currency }) => currency === 'USD')
  const [left, more, less, held] = [0, 1, 2, 3].map((index) => at(dollars, index).partner)
  if (!left || !more || !less || !held) throw new Error('Too few are paid.')
  model.readAccounts(askedNow({ method: 'stripe' }))
  const path = `/payouts/new?method=stripe&exclude=${left.id}`
  const page = await pages.get(path)
  const fields = fieldsOf(page.html.split('<form id="limits"')[0] ?? '')
  const previewedAt = world.now()
  const shown = JSON.parse(fields.preview ?? '{}') as RunResult & { expected: RunResult['totals'] }
  const expected = Map.groupBy(
    model.due(askedNow({ method: 'stripe', exclude: [left] })).filter(({ code }) => code === null),
    ({ currency }) => currency,
  )
  expect(shown.expected.toSorted((a, b) => a.currency.localeCompare(b.currency))).toEqual(
    [...expected]
      .map(([currency, due]) => ({
        currency,
        amountCents: due.reduce((cents, one) => cents + one.cents, 0),
        count: due.length,
      }))
      .toSorted((a, b) => a.currency.localeCompare(b.currency)),
  )

  await world.wait()
  await adjust(more, 'USD', 7_777)
  await adjust(less, 'USD', -1_001)
  await merchant.dispute(disputed, 'won')
  const kept = model.earnings.find(
    ({ partner, kind }) => partner === held && kind === 'opening_balance',
  )
  await manager.post(`/commissions/${await commissionOf(merchant, held, kept?.cents ?? 0)}/hold`, {
    note: 'Is it ours to pay?',
  })
  if (kept) kept.hold = 'held'
  await world.wait()
  const asked = askedNow({ method: 'stripe', exclude: [left], previewedAt })
  const skipped = model.due(asked)
  const made = claimAndSend(asked)
  const answer = await pages.post('/payouts/new', fields)
  expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('/payouts/runs/')])
  await comparePayouts(/runs\/([0-9a-f-]{36})/.exec(answer.location ?? '')?.[1] ?? '', made)
  model.notify(skipped)
  expect(skipped.some(({ code }) => code === 'insufficient_funds')).toBe(true)
  await merchant.compareBooks()

  await manager.post(`/commissions/${await commissionOf(merchant, held, kept?.cents ?? 0)}/release`)
  if (kept) {
    kept.hold = 'released'
    model.byHand(kept.partner.program, kept.cents, world.now())
  }
}

/**
 * March 4: a partner is reinstated between preview and run, so nothing is paid. Then the euros are
 * there.
 */
export const secondRun = async (merchant: Merchant): Promise<void> => {
  const { world, manager, askedNow, comparePreview, preview, run, setBalance, compareBooks } =
    merchant
  const banned = at(payable(merchant), 0).partner
  await ban(merchant, banned)
  await world.wait()
  const shown = await preview({ method: 'stripe' })
  await world.wait()
  await reinstate(merchant, banned)
  await world.wait()
  const body = { method: 'stripe', previewedAt: shown.previewedAt, expected: shown.totals }
  const refused = await manager.post<{ error: { code: string }; preview: RunResult }>(
    '/payouts/run',
    body,
    409,
  )
  expect(refused.error.code).toBe('preview_changed')
  comparePreview(refused.preview, askedNow({ method: 'stripe' }))
  await compareBooks()

  setBalance('EUR', 50_000_000)
  await world.wait()
  const again = await preview({ method: 'stripe' })
  expect(again.skipped.some(({ code }) => code === 'insufficient_funds')).toBe(false)
  const previewedAt = world.now()
  await world.wait()
  await run({ method: 'stripe', previewedAt }, { expected: again.totals })
  await compareBooks()
}

/**
 * March 5: the dollars go between the reading of the balance and the first transfer. Some payouts
 * are canceled meanwhile.
 */
export const withoutMoney = async (merchant: Merchant): Promise<void> => {
  const {
    world,
    model,
    manager,
    pages,
    key,
    adjust,
    askedNow,
    comparePayouts,
    compareBooks,
    setBalance,
    startDay,
  } = merchant
  for (const partner of ready(merchant).slice(5, 13)) await adjust(partner, 'USD', 10_003)
  await world.wait()
  const asked = askedNow({ method: 'stripe' })
  model.readAccounts(asked)
  const skipped = model.due(asked)
  const made = model.claim(asked)
  const { hooks } = world.stripe()
  hooks.onCall = (method, path) => {
    if (method !== 'POST' || path !== '/v1/transfers') return
    hooks.onCall = undefined
    world.stripe().setBalance('USD', 0, key)
  }
  const { runId } = await manager.post<RunResult>('/payouts/run', { method: 'stripe' })
  for (const one of made) if (one.currency !== 'USD') model.pay(one, asked.at)
  model.balance.USD = 0
  model.notify(skipped)
  await comparePayouts(runId ?? '', made)
  await compareBooks()

  const waiting = made.filter(({ status }) => status === 'processing')
  expect(waiting.length).toBeGreaterThan(6)
  await world.wait()
  await ban(merchant, at(waiting, 0).partner)
  await ban(merchant, at(waiting, 1).partner)
  const cancel = await pages.post(`/payouts/${at(waiting, 2).id}/cancel`, {})
  expect(cancel.location).toContain('done=payout_canceled')
  model.letGo(at(waiting, 2), 'canceled', world.now())
  expect(await manager.post(`/payouts/${at(waiting, 3).id}/cancel`)).toMatchObject({
    status: 'canceled',
  })
  model.letGo(at(waiting, 3), 'canceled', world.now())
  await compareBooks()

  await world.wait(90)
  for (const manager of [MANAGER, SECOND]) model.mail('payout_problem', manager)
  await merchant.cron()
  await startDay('2027-03-06', () => {
    setBalance('USD', 100_000_000)
    for (const one of waiting) if (one.status === 'processing') model.pay(one, world.now())
  })
  await comparePayouts(runId ?? '', made)
  await reinstate(merchant, at(waiting, 1).partner)
  await compareBooks()
}

/**
 * March 6: banks of partners take and refuse money, and the merchant reverses transfers at Stripe.
 */
export const afterwards = async (merchant: Merchant): Promise<void> => {
  const { world, model, manager, pages, compareBooks } = merchant
  const stripe = world.stripe()
  merchant.hearEvents()
  const sent = paidByStripe(merchant).filter(({ currency }) => currency === 'USD')
  const bankStatus = async ({ id }: Payout) =>
    (await manager.get<{ bankStatus: string | null }>(`/payouts/${id}`)).bankStatus
  await world.wait()
  stripe.payOut(at(sent, 0).account ?? '', { amount: 1_234, currency: 'usd' })
  stripe.refusePayout(stripe.payOut(at(sent, 1).account ?? '', { amount: 99, currency: 'usd' }).id)
  await stripe.settled()
  model.mail('bank_refused', at(sent, 1).partner.person.address)
  expect([await bankStatus(at(sent, 0)), await bankStatus(at(sent, 1))]).toEqual([
    'paid',
    'refused',
  ])

  const transferOf = ({ id }: Payout) =>
    stripe.transfers(merchant.key).find(({ transfer_group: group }) => group === `payout_${id}`)
      ?.id ?? ''
  for (const [index, part] of [undefined, undefined, undefined, 17].entries()) {
    const payout = at(sent, 2 + index)
    stripe.reverse(transferOf(payout), part)
    payout.reversedCents = part ?? payout.cents
    if (part === undefined) payout.status = 'reversed'
    model.balance.USD += payout.reversedCents
  }
  await stripe.settled()
  await compareBooks()
  await world.wait()
  const released = await pages.post(`/payouts/${at(sent, 2).id}/release`, {})
  expect(released.location).toContain('done=released')
  await manager.post(`/payouts/${at(sent, 3).id}/release`)
  for (const index of [2, 3]) model.letGo(at(sent, index), 'reversed', world.now())
  await compareBooks()
}
