/**
 * March 8 to 17: new details and addresses, a run by bank with its files, and a run by schedule.
 */
import { expect } from 'vitest'
import { fieldsOf } from '../../support/pages.ts'
import { at, commissionOf, ready, withCode } from './acts.ts'
import { CLUB, MANAGER, SECOND, SHOP } from './merchant.ts'
import type { Merchant } from './play.ts'
import type { Currency, Payout } from './terms.ts'

const IBANS = [
  'DE89370400440532013000',
  'FR1420041010050500013M02606',
  'NL91ABNA0417164300',
] as const

/** March 8: partners say how they want to be paid, and some change their addresses. */
export const newDetails = async (merchant: Merchant): Promise<void> => {
  const { world, model, manager, portal, compareBooks } = merchant
  await manager.patch('/settings', {
    manualPayouts: true,
    paypalPayouts: true,
    wisePayouts: true,
    ibanPayouts: true,
  })
  const path = `/payment?workspace=${await merchant.workspaceId()}`
  const choosers = model.partners.filter(
    ({ program, person, isBanned }, index) =>
      program === SHOP && !isBanned && (person.account === null || index % 9 === 4),
  )
  for (const [index, { person }] of choosers.entries()) {
    const name = `Partner Number ${index}`
    const forms = [
      { method: 'paypal', address: `pay-${person.address}` },
      { method: 'wise', address: `wise-${person.address}`, name, holder: 'person' },
      { method: 'iban', iban: at([...IBANS], ((index / 3) % 3) | 0), name, holder: 'person' },
    ] as const
    const form = at([...forms], index % 3)
    const saved = await portal(person).post(path, form)
    expect(saved.location).toContain('done=saved')
    model.mail('payment_details', person.address)
    if (index === 4) {
      const { html } = await portal(person).get(path)
      const id = /name="id" value="([^"]+)"/.exec(html)?.[1] ?? ''
      expect(
        (
          await portal(person).post(`/payment/cancel?workspace=${await merchant.workspaceId()}`, {
            id,
          })
        ).location,
      ).toContain('done=canceled')
      model.mail('payment_details', person.address)
    } else
      person.wants.push({
        method: form.method,
        from: new Date(world.now().getTime() + 72 * 3_600_000),
      })
    if (form.method === 'iban') await merchant.adjust(at(choosers, index), 'EUR', 6_000 + index)
  }
  await merchant.cron()

  const movers = ready(merchant).map(({ person }) => person)
  for (const [index, person] of [at(movers, 0), at(movers, 7), at(movers, 9)].entries()) {
    const [from, to] = [person.address, `moved-${person.address}`]
    expect((await portal(person).post('/address', { email: to })).status).toBe(200)
    model.mail('address_link', to)
    await merchant.cron()
    // One of them never opens the mail.
    if (index === 2) continue
    const [mail] = world.inbox().mails(to)
    const link = /http\S+\/portal(\/address\/confirm\?token=\w+)/.exec(mail?.text ?? '')?.[1] ?? ''
    const { html } = await portal(person).get(link)
    expect((await portal(person).post('/address/confirm', fieldsOf(html))).text).toContain(to)
    expect((await portal(person).get('')).text).toContain('is not a partner of any program')
    model.mail('address_changed', from)
    person.address = to
  }
  await manager.patch(`/programs/${merchant.idOf(CLUB)}`, {
    payoutSchedule: 'monthly',
    payoutDays: [15],
    reviewDays: 2,
  })
  for (const manager of [MANAGER, SECOND]) model.mail('workspace_notice', manager)
  const members = await merchant.all<{ id: string; email: string }>('/members')
  await manager.patch(`/members/${members.find(({ email }) => email === SECOND)?.id}`, {
    payoutMails: false,
  })
  await merchant.cron()
  await compareBooks()
}

const wayOf = ({ partner: { person }, currency }: Payout, now: Date): string => {
  const method = person.wants.filter(({ from }) => from <= now).at(-1)?.method ?? null
  if (method === 'iban') return currency === 'EUR' ? 'sepa' : 'wise_template'
  if (method === 'paypal') return currency === 'KWD' ? 'currency_not_supported' : 'paypal'
  return method ?? 'details_missing'
}

/** March 12: refunds, holds, and a run by bank with files, of which some lines come back. */
export const byBank = async (merchant: Merchant): Promise<void> => {
  const { world, model, manager, pages, run, refund, preview, compareBooks, comparePayouts } =
    merchant
  await world.wait(600)
  const sales = model.earnings.filter(({ sale, partner }) => sale && partner.program === SHOP)
  for (const [index, percent] of [100, 50, 33, 100, 10].entries()) {
    const sold = at(sales, index)
    await refund(sold, Math.round(((sold.sale?.amountCents ?? 0) * percent) / 100))
  }
  await refund(at(sales, 2), at(sales, 2).sale?.amountCents ?? 0)
  await compareBooks()
  const [rejected, open] = model.earnings.filter(
    ({ kind, payout, partner }) =>
      kind === 'opening_balance' && !payout && !partner.isBanned && partner.program === SHOP,
  )
  if (!rejected || !open) throw new Error('Everybody is paid.')
  for (const one of [rejected, open]) {
    await manager.post(
      `/commissions/${await commissionOf(merchant, one.partner, one.cents)}/hold`,
      {
        note: 'Not sure yet',
      },
    )
    one.hold = 'held'
  }
  await world.wait()
  await manager.post(
    `/commissions/${await commissionOf(merchant, rejected.partner, rejected.cents)}/reject`,
  )
  rejected.hold = 'rejected'
  model.reverse(rejected, model.leftOf(rejected), world.now())
  await compareBooks()

  await world.wait()
  const exclude = withCode(merchant, 'not_connected')
    .slice(0, 4)
    .map(({ partner }) => partner)
  await preview({ method: 'manual', program: SHOP, exclude })
  const { runId, made } = await run({ method: 'manual', program: SHOP, exclude })
  const { files, leftOut } = await manager.get<{ files: FileSum[]; leftOut: FileSum[] }>(
    `/payout-runs/${runId}/files`,
  )
  const listed = [
    ...files.map(({ format, ...sum }) => ({ way: format, ...sum })),
    ...leftOut.map(({ code, ...sum }) => ({ way: code, ...sum })),
  ]
  const planned = Map.groupBy(made, (one) => `${wayOf(one, world.now())} ${one.currency}`)
  expect(
    listed
      .map(
        ({ way, currency, payouts, amountCents }) => `${way} ${currency} ${payouts} ${amountCents}`,
      )
      .toSorted(),
  ).toEqual(
    [...planned]
      .map(
        ([name, own]) =>
          `${name} ${own.length} ${own.reduce((cents, one) => cents + one.cents, 0)}`,
      )
      .toSorted(),
  )
  expect(planned.size).toBeGreaterThan(3)

  await world.wait()
  const dropped = at(made, 0)
  expect((await pages.post(`/payouts/${dropped.id}/cancel`, {})).location).toContain(
    'done=payout_canceled',
  )
  model.letGo(dropped, 'canceled', world.now())
  const csv = await world.download(
    MANAGER,
    `/api/workspaces/${merchant.slug}/payout-runs/${runId}/export?format=csv`,
  )
  expect(csv.trim().split(/\r?\n/)).toHaveLength(made.length)
  for (const { partner } of made.slice(1)) expect(csv).toContain(partner.person.address)
  await compareFiles(
    merchant,
    runId,
    made.filter((one) => one !== dropped),
  )

  const left = made.filter(({ status }) => status === 'processing')
  expect((await pages.post(`/payouts/runs/${runId}`, { status: 'paid' })).location).toContain(
    'done=paid',
  )
  await manager.patch(`/payout-runs/${runId}`, { status: 'processing' })
  await compareBooks()
  await world.wait()
  await manager.patch(`/payout-runs/${runId}`, { status: 'paid' })
  for (const one of left) model.pay(one, world.now())
  expect((await pages.post(`/payouts/runs/${runId}`, { status: 'confirmed' })).location).toContain(
    'done=confirmed',
  )
  for (const { partner } of left) model.mail('payout_sent', partner.person.address)
  await comparePayouts(runId, made)
  await compareBooks()

  await world.wait()
  for (const [index, one] of left.slice(0, 3).entries()) {
    const reason = 'The account is closed.'
    if (index === 0)
      expect((await pages.post(`/payouts/${one.id}/return`, { reason })).status).toBe(303)
    else await manager.post(`/payouts/${one.id}/return`, { reason })
    model.letGo(one, 'returned', world.now())
    model.mail('payout_returned', one.partner.person.address)
  }
  await compareBooks()
}

type FileSum = {
  format: string
  code: string
  currency: string
  payouts: number
  amountCents: number
}

const plain = (cents: number, currency: Currency): string => {
  const decimals = currency === 'KWD' ? 3 : 2
  return (cents / 10 ** decimals).toFixed(decimals)
}

/**
 * The files for PayPal, Wise and banks have the addresses, accounts and amounts of those who wanted
 * them.
 */
const compareFiles = async (merchant: Merchant, runId: string, made: Payout[]): Promise<void> => {
  const { world, manager } = merchant
  await manager.put('/payer', { name: 'Harbour GmbH', city: 'Kiel', country: 'DE', iban: IBANS[0] })
  for (const [name, own] of Map.groupBy(
    made,
    (one) => `${wayOf(one, world.now())} ${one.currency}`,
  )) {
    const [format = '', currency = ''] = name.split(' ')
    if (!['paypal', 'wise', 'sepa'].includes(format)) continue
    const file = await world.download(
      MANAGER,
      `/api/workspaces/${merchant.slug}/payout-runs/${runId}/export?format=${format}&currency=${currency}`,
    )
    for (const one of own) {
      const amount = plain(one.cents, one.currency)
      const { address } = one.partner.person
      if (format === 'paypal') expect(file).toContain(`pay-${address},${amount},${currency},`)
      if (format === 'wise')
        expect(file).toMatch(new RegExp(`wise-${address.replaceAll('.', '\\.')}.*,${amount},`))
      if (format === 'sepa') expect(file).toContain(`<InstdAmt Ccy="EUR">${amount}</InstdAmt>`)
    }
    const lines =
      format === 'sepa' ? file.split('<CdtTrfTxInf>').length - 1 : file.trim().split(/\r?\n/).length
    expect([name, lines]).toEqual([name, own.length + (format === 'wise' ? 1 : 0)])
  }
}

/** March 15 to 17: the club pays by its schedule, after a review. */
export const bySchedule = async (merchant: Merchant): Promise<void> => {
  const { world, model, manager, pages, all, startDay, comparePayouts, compareBooks } = merchant
  let made: Payout[] = []
  await startDay('2027-03-15', () => {
    const asked = {
      ...merchant.askedNow({ method: 'stripe', program: CLUB }),
      at: new Date('2027-03-15T00:00:00Z'),
    }
    model.readAccounts(asked)
    const skipped = model.due(asked)
    made = model.claim(asked)
    model.notify(skipped)
    model.mail('payout_review', MANAGER)
  })
  const [run] = await all<{ id: string; status: string; sendsAt: string }>('/payout-runs')
  expect(run).toMatchObject({
    status: 'review',
    sendsAt: expect.stringMatching('2027-03-17T00:00'),
  })
  expect(made.length).toBeGreaterThan(3)
  await comparePayouts(run?.id ?? '', made)
  await compareBooks()
  await world.wait(600)
  const dropped = at(made, 1)
  expect((await pages.post(`/payouts/${dropped.id}/cancel`, {})).location).toContain(
    'done=payout_canceled',
  )
  model.letGo(dropped, 'canceled', world.now())
  await startDay('2027-03-16')
  await compareBooks()
  await startDay('2027-03-17', () => {
    for (const one of made) if (one.status === 'processing') model.pay(one, world.now())
    model.mail('payout_report', MANAGER)
  })
  await comparePayouts(run?.id ?? '', made)
  expect(await manager.get(`/payout-runs/${run?.id}`)).toMatchObject({ status: 'completed' })
  await compareBooks()
}
