import { expect, inject, test } from 'vitest'
import { holdCommission } from '../support/holds.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import {
  addPayout,
  ageClick,
  createPartner,
  eventOf,
  type Partner,
  takeBack,
} from '../support/portal.ts'

const database = useDatabase()

const portalOf = async ({ cookie }: Partner) => browse(await cookie(), inject('baseUrl'), '/portal')

/** A sale of 49.00 USD, which earns 9.80. */
const sell = async ({ merchant }: Partner, externalId: string, customerExternalId = 'user_812') => {
  const clickId = await merchant.click('ann')
  return eventOf(await merchant.sale({ externalId, customerExternalId, clickId }))
}

/** An event that Stripe reported, with a click of a partner's, that is credited to another one. */
const creditToOther = async ({ merchant, workspaceId }: Partner, slug: string) => {
  const clickId = await merchant.click('ann')
  const steps = [
    { code: 'coupon', facts: { couponId: 'promo_secret', slug } },
    { code: 'group_reward', facts: { group: 'Friends of the boss', percent: 50 } },
    {
      code: 'commission_created',
      facts: { slug, amountCents: 123456, currency: 'USD', payableAt: '2026-06-01T00:00:00Z' },
    },
  ]
  const [row] = await database.query<{ id: string }>(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency,
                         click_id, partner_id, attributed_by, steps, occurred_at)
     select uuidv7(), $1, 'sale', 'in_' || gen_random_uuid(), 'sale', 'rival@customer.example', 246912, 'USD', $2, p.id,
            'coupon', $3, now()
     from partners p where p.workspace_id = $1 and p.slug = 'maya' returning id`,
    [workspaceId, clickId, JSON.stringify(steps)],
  )
  return row?.id ?? ''
}

test('each commission shows its status and payment', async () => {
  const partner = await createPartner()
  const pending = await sell(partner, 'pending')
  const [processing, paid, reversed, partly] = await Promise.all(
    ['processing', 'paid', 'reversed', 'partly'].map((name) => sell(partner, name)),
  )
  if (!processing || !paid || !reversed || !partly) throw new Error('Four sales were made.')
  await addPayout(database, partner, 980, { eventIds: [processing] })
  await addPayout(database, partner, 980, { eventIds: [paid], outcome: 'paid_at' })
  await takeBack(database, reversed, 980)
  await takeBack(database, partly, 490)

  const { text, html } = await (await portalOf(partner)).get('/commissions')
  expect(text.match(/Sale us••• \$9\.80/g)).toHaveLength(5)
  expect(text).toMatch(/\$9\.80 processing Payout processing/)
  expect((await (await portalOf(partner)).get(`/events/${processing}`)).text).toMatch(
    /\$9\.80 processing Payout processing ?\./,
  )
  expect(text).toMatch(/\$9\.80 paid Paid on \d+ \w+ \d{4} \(UTC\)/)
  expect(text).toMatch(/\$9\.80 \$9\.80 reversed reversed Not payable/)
  expect(text).toMatch(/\$9\.80 \$4\.90 reversed pending Payable from \d/)
  expect(text.match(/\$9\.80 pending Payable from/g)).toHaveLength(1)
  expect(html).toContain(`href="/portal/events/${pending}"`)
  expect(text).not.toContain('user_812')
})

test('a held commission is in review, with the reason and without the merchant’s data', async () => {
  const partner = await createPartner({ program: { holding_days: 0 } })
  await sell(partner, 'order-1')
  const held = await sell(partner, 'in_1')
  await holdCommission(partner.merchant, 'in_1', 'order-1')
  const portal = await portalOf(partner)
  const reason = 'This sale looks like another one that was reported before.'
  for (const page of ['/commissions', `/events/${held}`]) {
    const { text } = await portal.get(page)
    expect(text).toContain(`$9.80 in review ${reason}`)
    expect(text).not.toContain('order-1')
  }
  expect((await portal.get('')).text).toMatch(/In review \$9\.80 Pending \$0\.00 Payable \$9\.80/)
})

test('a commission that a manager holds is in review, and an adjustment shows its amount, each with the reason', async () => {
  const partner = await createPartner()
  const { merchant, partnerId } = partner
  const eventId = await sell(partner, 'order-1')
  const manager = await merchant.asManager()
  const { commission } = await merchant.explain(eventId)
  await manager.post(`/commissions/${commission?.id}/hold`, {
    note: 'We ask <b>the</b> buyer first.',
  })
  await manager.post('/commissions', {
    externalId: 'adj-1',
    partnerId,
    amountCents: -1_250,
    currency: 'USD',
    reason: 'Paid twice in May & June',
  })
  const portal = await portalOf(partner)
  const { text } = await portal.get('/commissions')
  expect(text).toMatch(
    /\$9\.80 in review The merchant reviews this commission: We ask <b>the<\/b> buyer first\./,
  )
  expect(text).toMatch(/Adjustment Paid twice in May & June -\$12\.50 payable Payable since/)
  expect((await portal.get(`/events/${eventId}`)).text).toContain(
    'The merchant reviews this commission: We ask <b>the</b> buyer first.',
  )
  const overview = await (await browse(await partner.cookie(), inject('baseUrl'), '/portal')).get(
    '',
  )
  expect(overview.text).toMatch(/In review \$9\.80 .*Payable -\$12\.50/)
  expect(overview.text).toContain(
    'Refunds or corrections after a payout made this balance negative.',
  )
})

test('a commission is payable after the holding period', async () => {
  const partner = await createPartner({ program: { holding_days: 0 } })
  await sell(partner, 'inv_1')
  expect((await (await portalOf(partner)).get('/commissions')).text).toMatch(
    /payable Payable since \d/,
  )
})

test('an event’s page explains its attribution without the merchant’s data', async () => {
  const partner = await createPartner({
    group: { name: 'Cheap ones', leadReward: null, saleReward: { percent: 10 } },
  })
  await database.query(
    `update partners set group_id = (select id from groups where workspace_id = $1) where id = $2`,
    [partner.workspaceId, partner.partnerId],
  )
  const clickId = await partner.merchant.click('ann')
  const sale = {
    externalId: 'inv_77',
    customerExternalId: 'user_812',
    clickId,
    metadata: { plan: 'secret plan' },
  }
  await partner.merchant.lead({
    externalId: 'user_812',
    customerEmail: 'buyer@customer.example',
    clickId,
  })
  const eventId = eventOf(await partner.merchant.sale(sale))
  await takeBack(database, eventId, 490)

  const { status, html, text } = await (await portalOf(partner)).get(`/events/${eventId}`)
  expect(status).toBe(200)
  expect(text).toContain('Sale of b•••@c•••.example')
  expect(text).toContain('The visitor clicked your link on ')
  expect(text).toContain('Your reward is 10% of the sale.')
  expect(text).toContain('You earned $4.90, payable from ')
  expect(text).toContain('$4.90 was reversed.')
  for (const secret of ['Cheap ones', 'user_812', 'buyer', 'inv_77', 'secret plan', clickId]) {
    expect(html).not.toContain(secret)
  }
})

test('a lead without a commission shows the reason', async () => {
  const partner = await createPartner()
  const clickId = await partner.merchant.click('ann')
  const eventId = eventOf(await partner.merchant.lead({ externalId: 'user_9', clickId }))
  const portal = await portalOf(partner)
  expect((await portal.get('/events')).text).toContain(
    'No commission: this program does not reward leads.',
  )
  const { text } = await portal.get(`/events/${eventId}`)
  expect(text).toContain('This program records your leads, but rewards only sales.')
  expect(text).toContain('This event earned no commission.')
})

test('a sale with an expired click is listed with the reason', async () => {
  const partner = await createPartner()
  const clickId = await partner.merchant.click('ann')
  await ageClick(database, clickId, 100)
  await partner.merchant.sale({ externalId: 'late', customerExternalId: 'user_5', clickId })
  const portal = await portalOf(partner)
  const { text, html } = await portal.get('/events')
  expect(text).toContain('Not credited: the click was older than 90 days.')
  const [, id] = /href="\/portal\/events\/([\w-]{36})"/.exec(html) ?? []
  const why = await portal.get(`/events/${id}`)
  expect(why.text).toContain('Not credited')
  expect(why.text).toContain('but a click is valid for 90 days and expired on ')
  expect(why.text).not.toContain('$49.00')
})

test('a sale credited to another partner reveals nothing about that partner', async () => {
  const partner = await createPartner()
  const eventId = await creditToOther(partner, 'maya')
  const portal = await portalOf(partner)
  const list = await portal.get('/events')
  expect(list.text).toContain('Not credited: this sale was credited to another partner.')
  const { text, html } = await portal.get(`/events/${eventId}`)
  expect(text).toContain('This sale was credited to another partner.')
  for (const secret of [
    'maya',
    'promo_',
    'Friends',
    '50%',
    '1,234.56',
    '2,469.12',
    'customer.example',
    'r•••',
  ]) {
    expect(html).not.toContain(secret)
    expect(list.html).not.toContain(secret)
  }
})

test('a partner with the same slug in another program is another partner', async () => {
  const partner = await createPartner()
  const programId = await partner.merchant.seed.addProgram(partner.workspaceId, {})
  const rival = await partner.merchant.seed.addPartner(partner.workspaceId, programId, {
    slug: 'ann',
  })
  const eventId = await creditToOther(partner, 'ann')
  await database.query('update events set partner_id = $2 where id = $1', [eventId, rival])
  const { text } = await (await portalOf(partner)).get(`/events/${eventId}`)
  expect(text).not.toMatch(/belongs to you|your coupon codes/)
  expect(text).not.toContain('1,234.56')
  expect(text).toContain('credited to another partner')
})

test('a sale whose commission was reversed for another partner is explained', async () => {
  const partner = await createPartner()
  const eventId = await sell(partner, 'inv_1')
  await takeBack(database, eventId, 980)
  await database.query(
    `update events set click_id = null, attributed_by = 'coupon',
            partner_id = (select id from partners where workspace_id = $2 and slug = 'maya') where id = $1`,
    [eventId, partner.workspaceId],
  )
  const portal = await portalOf(partner)
  expect((await portal.get('/commissions')).text).toContain('reversed')
  const { text } = await portal.get(`/events/${eventId}`)
  expect(text).toContain('credited to another partner')
  expect(text).toContain('$9.80 was reversed.')
})

test('other partners’ data and unknown IDs return 404', async () => {
  const [partner, other] = await Promise.all([createPartner(), createPartner()])
  const theirs = await sell(other, 'inv_1')
  // Of another partner of one's own merchant, too.
  const clickId = await partner.merchant.click('maya')
  const neighbours = eventOf(await partner.merchant.sale({ clickId }))
  const portal = await portalOf(partner)
  for (const id of [theirs, neighbours, crypto.randomUUID(), 'x', '%00', `${theirs}'`]) {
    expect((await portal.get(`/events/${id}`)).status, id).toBe(404)
  }
  for (const list of ['/commissions', '/events', '/payouts']) {
    expect((await portal.get(`${list}?program=${other.merchant.programId}`)).status).toBe(404)
    expect((await portal.get(`${list}?program=x`)).status).toBe(404)
    expect((await portal.get(`${list}?cursor=%00`)).status).toBe(404)
    expect((await portal.get(`${list}?cursor=${theirs}`)).text).not.toContain('9.80')
  }
  expect((await portal.get('/events')).text).not.toContain('49.00')
})

test('a payout shows its status and failure reason', async () => {
  const partner = await createPartner()
  const eventId = await sell(partner, 'inv_1')
  await addPayout(database, partner, 980, { eventIds: [eventId], outcome: 'paid_at' })
  await addPayout(database, partner, 1_100, { outcome: 'canceled_at', byBank: true })
  const failed = await addPayout(database, partner, 1_200, { outcome: 'failed_at' })
  await addPayout(database, partner, 1_300)
  await addPayout(database, partner, 1_400, { outcome: 'paid_at', byBank: true })
  await database.query(
    `update payouts set last_error = 'No such destination: acct_1' where id = $1`,
    [failed],
  )
  await database.query(
    `insert into mails (id, workspace_id, kind, recipient, partner_id, payout_id, details, created_at, next_attempt_at)
     values (uuidv7(), $1, 'payout_failed', $2, $3, $4, '{"reason": "Your account at Stripe was closed."}', now(), now())`,
    [partner.workspaceId, partner.email, partner.partnerId, failed],
  )
  const { text } = await (await portalOf(partner)).get('/payouts')
  expect(text).toMatch(
    /\$14\.00 Outside Stripe paid outside Stripe Paid outside Stripe on \d+ \w+ \d{4} \(UTC\) , for/,
  )
  expect(text).toMatch(/\$13\.00 Stripe processing Processing/)
  expect(text).toMatch(
    /\$12\.00 Stripe failed Your account at Stripe was closed\. Its commissions are payable again, with a later payout\. Check your account , or ask the merchant/,
  )
  expect(text).toMatch(/\$11\.00 Outside Stripe canceled The merchant canceled it/)
  expect(text).toMatch(
    /\$9\.80 Stripe on its way to your bank Sent to your Stripe account on [\w ]+ \(UTC\) ?, and on its way to your bank, for 1 commission ?\./,
  )
  expect(text).not.toContain('acct_')
})

test('a payout links to its own commissions only', async () => {
  const [partner, other] = await Promise.all([createPartner(), createPartner()])
  const [paid] = await Promise.all([sell(partner, 'paid'), sell(partner, 'pending')])
  const payout = await addPayout(database, partner, 980, {
    eventIds: [paid ?? ''],
    outcome: 'paid_at',
  })
  const portal = await portalOf(partner)
  expect((await portal.get('/payouts')).html).toContain(
    `href="/portal/commissions?payout=${payout}"`,
  )
  const { text, html } = await portal.get(`/commissions?payout=${payout}`)
  expect(text.match(/\$9\.80/g)).toHaveLength(1)
  expect(html).toContain(`/portal/events/${paid}`)
  expect((await (await portalOf(other)).get(`/commissions?payout=${payout}`)).text).toContain(
    'This payout has no commissions of yours.',
  )
  expect((await portal.get('/commissions?payout=x')).status).toBe(404)
})

test('a payout of a reinstated commission says so', async () => {
  const partner = await createPartner()
  const eventId = await sell(partner, 'inv_1')
  await takeBack(database, eventId, -490)
  const payout = await addPayout(database, partner, 490, { outcome: 'paid_at' })
  await database.query(
    `update commissions set payout_id = $2 where event_id = $1 and kind = 'reversal'`,
    [eventId, payout],
  )
  expect((await (await portalOf(partner)).get('/payouts')).text).toMatch(
    /for 0 commissions ?, plus \$4\.90 reinstated ?\./,
  )
})

test('a deduction that the merchant reverses reads as one, and not as reinstated earnings', async () => {
  const partner = await createPartner()
  const { merchant, partnerId } = partner
  const manager = await merchant.asManager()
  const { body } = await manager.post('/commissions', {
    externalId: 'adj-1',
    partnerId,
    amountCents: -700,
    currency: 'USD',
    reason: 'Paid twice in May',
  })
  await manager.post(`/commissions/${body.id}/hold`, { note: 'Was it?' })
  expect((await manager.post(`/commissions/${body.id}/reject`)).status).toBe(200)
  const pages = browse(await merchant.manager())
  const { text } = await pages.get(`/${merchant.workspace.slug}/commissions`)
  expect(text).toMatch(/Reversed deduction .*\$7\.00 .*Adjustment .*-\$7\.00/)
  expect(text).not.toMatch(/Reinstatement/)

  const payout = await addPayout(database, partner, 700, { outcome: 'paid_at' })
  await database.query('update commissions set payout_id = $2 where reverses_id = $1', [
    body.id,
    payout,
  ])
  const portal = await portalOf(partner)
  expect((await portal.get('/payouts')).text).toMatch(
    /for 0 commissions ?, plus \$7\.00 of reversed deductions ?\./,
  )
  expect((await portal.get('/commissions')).text).toMatch(/Adjustment .*-\$7\.00 -\$7\.00 reversed/)
})

test('pagination shows each row once', async () => {
  const partner = await createPartner()
  await sell(partner, 'inv_0')
  await database.query(
    `with made as (
       insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                           amount_cents, currency, partner_id, attributed_by, steps, occurred_at, commission_id)
       select uuidv7(), e.workspace_id, 'sale', 'more_' || n, 'sale', e.customer_external_id, e.customer_id, 100 + n,
              'USD', e.partner_id, 'click', e.steps, now(), uuidv7()
       from events e, generate_series(1, 60) n where e.workspace_id = $1 and e.kind = 'sale' returning *)
     insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                              amount_cents, currency, payable_at, created_at)
     select made.commission_id, c.workspace_id, c.program_id, c.partner_id, c.customer_id, made.id, c.reward_id, 'sale',
            made.amount_cents, 'USD', now(), now()
     from made, commissions c where c.workspace_id = $1`,
    [partner.workspaceId],
  )
  const portal = await portalOf(partner)
  for (const list of ['/commissions', '/events']) {
    const ids: string[] = []
    let pages = 0
    for (let path: string | undefined = list; path; pages++) {
      const { html } = await portal.get(path)
      ids.push(...(html.match(/\/portal\/events\/[\w-]{36}/g) ?? []))
      path = /rel="next" href="\/portal([^"]*)"/.exec(html.replace(/&amp;/g, '&'))?.[1]
    }
    expect({ pages, rows: ids.length, different: new Set(ids).size }).toEqual({
      pages: 3,
      rows: 61,
      different: 61,
    })
  }
})

test('a partner with two programs can filter by program', async () => {
  const partner = await createPartner()
  const { merchant, workspaceId, email } = partner
  await sell(partner, 'inv_1')
  const programId = await merchant.seed.addProgram(workspaceId, { name: 'The other program' })
  await merchant.seed.addPartner(workspaceId, programId, { slug: 'ann', email })
  await addPayout(database, partner, 980)
  const portal = await portalOf(partner)
  for (const list of ['/commissions', '/events', '/payouts']) {
    const all = await portal.get(list)
    expect(all.text).toContain('$9.80')
    expect(all.html).toContain('<label for="program">')
    expect((await portal.get(`${list}?program=${programId}`)).text).not.toContain('$9.80')
    expect((await portal.get(`${list}?program=`)).text).toContain('$9.80')
  }
})
