/** The cron moves partners into the groups of their tiers, once a day. docs/tiers.md, "Groups". */
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'
import { NO_TIER } from '../../lib/rules/tiers/moves.ts'
import { tierOf } from '../../lib/rules/tiers/tiers.ts'
import { listDueTiers, listTiered, saveMoves } from '../../lib/upkeep/move-partners.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()

const DAY_MS = 24 * 60 * 60_000
/** Ten minutes after a midnight that comes. */
const night = (days: number) =>
  new Date((Math.floor(Date.now() / DAY_MS) + days) * DAY_MS + 10 * 60_000)

/** A program with two tiers that have groups, the first of which moves partners back. */
const stage = async () => {
  await world.empty()
  const payer = await world.createPayer()
  const { workspaceId, programId, seed } = payer
  const silver = await seed.addGroup(workspaceId, programId, { name: 'Silver' })
  const gold = await seed.addGroup(workspaceId, programId, { name: 'Gold' })
  const special = await seed.addGroup(workspaceId, programId, { name: 'Special' })
  const setTiers = (timeZone = 'UTC') =>
    world.query('update programs set tiers = $2 where id = $1', [
      programId,
      JSON.stringify({
        ...{ by: 'netSales', currency: 'USD', period: 'ever', timeZone },
        levels: [
          { name: 'Silver', atLeastCents: 10_000, groupId: silver, movesBack: true },
          { name: 'Gold', atLeastCents: 50_000, groupId: gold },
        ],
      }),
    ])
  await setTiers()
  const sell = (partnerId: string, cents: number) =>
    world.query(
      `with customer as (
         insert into customers (id, workspace_id, external_id, partner_id, created_at)
         select gen_random_uuid(), $1, gen_random_uuid(), $2, now() returning id, external_id
       ), identity as (
         insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
         select $1, id, 'external', external_id, 'import', now() from customer
       )
       insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                           amount_cents, currency, partner_id, attributed_by, body_hash, steps, occurred_at)
       select $4, $1, 'sale', gen_random_uuid(), 'sale', 'x', id, $3, 'USD', $2, 'click', '', '[]', now() from customer`,
      [workspaceId, partnerId, cents, newId()],
    )
  return {
    ...payer,
    ...{ silver, gold, special, setTiers, sell },
    refundAll: (partnerId: string) =>
      world.query('update events set returned_cents = amount_cents where partner_id = $1', [
        partnerId,
      ]),
    move: (partnerId: string, groupId: string) =>
      world.query('update partners set group_id = $2 where id = $1', [partnerId, groupId]),
    groupOf: async (partnerId: string) => {
      const [row] = await world.query<{ name: string | null }>(
        'select g.name from partners p left join groups g on g.id = p.group_id where p.id = $1',
        [partnerId],
      )
      return row?.name
    },
    log: () =>
      world.query<{ actor: string; subject_id: string; details: Record<string, unknown> }>(
        `select actor, subject_id, details from audit_entries
         where workspace_id = $1 and action = 'partner.changed' order by id`,
        [workspaceId],
      ),
    mails: () =>
      world.query<{ recipient: string; details: Record<string, unknown> }>(
        `select recipient, details from mails where workspace_id = $1 and kind = 'tier_changed' order by id`,
        [workspaceId],
      ),
  }
}

test('a partner who has reached a tier is in its group from the next day on, with an entry and a mail', async () => {
  const shop = await stage()
  const maya = await shop.addPartner({ slug: 'maya' })
  const leo = await shop.addPartner({ slug: 'leo' })
  await shop.sell(maya.id, 12_000)
  await shop.sell(leo.id, 9_999)
  await payDue(world.env(), new Date())
  expect(await shop.groupOf(maya.id)).toBe(null)
  for (const _ of ['once', 'twice']) await payDue(world.env(), night(1))
  expect([await shop.groupOf(maya.id), await shop.groupOf(leo.id)]).toEqual(['Silver', null])
  expect(await shop.log()).toEqual([
    {
      actor: 'system',
      subject_id: maya.id,
      details: {
        ...{ email: maya.email, tier: { from: null, to: 'Silver' } },
        ...{ group: { from: null, to: 'Silver' }, by: 'netSales', period: 'ever' },
        ...{ currency: 'USD', reached: 12_000, day: night(1).toISOString().slice(0, 10) },
      },
    },
  ])
  const mails = await shop.mails()
  expect(mails.map(({ recipient }) => recipient)).toEqual([maya.email])
  const { subject, text } = outboxContent({
    ...{ kind: 'tier_changed', details: mails[0]?.details ?? {} },
  })
  expect(subject).toBe('You have reached the tier Silver at A program')
  expect(text).toContain('https://tributary.example/portal')
  const [terms] = await world.query(
    'select group_id from former_partner_terms where partner_id = $1',
    [maya.id],
  )
  expect(terms).toEqual({ group_id: null })
  expect(await world.violations()).toEqual([])
})

test('several tiers at once move as one after the other do, and a fall goes back as far as tiers say so', async () => {
  const shop = await stage()
  const maya = await shop.addPartner({ slug: 'maya' })
  await shop.move(maya.id, shop.special)
  await shop.sell(maya.id, 60_000)
  await payDue(world.env(), night(1))
  expect(await shop.groupOf(maya.id)).toBe('Gold')
  await shop.refundAll(maya.id)
  await payDue(world.env(), night(2))
  // Gold does not move back, so Silver finds the partner elsewhere.
  expect(await shop.groupOf(maya.id)).toBe('Gold')
  await shop.move(maya.id, shop.special)
  await shop.sell(maya.id, 12_000)
  await payDue(world.env(), night(3))
  expect(await shop.groupOf(maya.id)).toBe('Silver')
  await shop.refundAll(maya.id)
  await payDue(world.env(), night(4))
  expect(await shop.groupOf(maya.id)).toBe('Special')
  const subjects = (await shop.mails()).map(
    ({ details }) => outboxContent({ kind: 'tier_changed', details }).subject,
  )
  expect(subjects).toEqual([
    'You have reached the tier Gold at A program',
    'You have reached the tier Silver at A program',
    'You are below the tier Silver at A program',
  ])
})

test('a manager who moves a partner elsewhere is not overruled the next day', async () => {
  const shop = await stage()
  const maya = await shop.addPartner({ slug: 'maya' })
  await shop.sell(maya.id, 12_000)
  await payDue(world.env(), night(1))
  await shop.move(maya.id, shop.special)
  for (const days of [2, 3]) await payDue(world.env(), night(days))
  expect(await shop.groupOf(maya.id)).toBe('Special')
  await shop.refundAll(maya.id)
  await payDue(world.env(), night(4))
  expect(await shop.groupOf(maya.id)).toBe('Special')
  expect(await shop.log()).toHaveLength(1)
})

test('banned and test partners stay, and partners of a shadow run get no mail', async () => {
  const shop = await stage()
  const banned = await shop.addPartner({ slug: 'banned', status: 'banned' })
  const maya = await shop.addPartner({ slug: 'maya' })
  const tester = await shop.addPartner({ slug: 'test' })
  await world.query('update partners set is_test = true where id = $1', [tester.id])
  await world.query(`update programs set mode = 'shadow', shadow_since = now() where id = $1`, [
    shop.programId,
  ])
  for (const { id } of [banned, maya, tester]) await shop.sell(id, 12_000)
  await payDue(world.env(), night(1))
  expect([
    await shop.groupOf(banned.id),
    await shop.groupOf(maya.id),
    await shop.groupOf(tester.id),
  ]).toEqual([null, 'Silver', null])
  expect(await shop.mails()).toEqual([])
})

test('all partners of a large program are moved, by several transactions', async () => {
  const shop = await stage()
  const { workspaceId, programId } = shop
  await world.query(
    `insert into partners (id, workspace_id, program_id, email, slug, slug_key)
     select uuidv7(), $1, $2, n || '@p.example', 'p' || n, 'p' || n from generate_series(1, 450) n`,
    [workspaceId, programId],
  )
  await world.query(
    `insert into customers (id, workspace_id, external_id, partner_id, created_at)
     select uuidv7(), $1, 'c' || slug, id, now() from partners where program_id = $2`,
    [workspaceId, programId],
  )
  await world.query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                         amount_cents, currency, partner_id, attributed_by, body_hash, steps, occurred_at)
     select uuidv7(), $1, 'sale', c.external_id, 'sale', c.external_id, c.id, 10000, 'USD', c.partner_id, 'click', '', '[]', now()
     from customers c where c.workspace_id = $1`,
    [workspaceId],
  )
  await payDue(world.env(), night(1))
  const count = async () => {
    const [row] = await world.query<{ moved: number; due: boolean }>(
      `select (select count(*)::int from partners where group_id = $2) as moved, tiers_partner_id is not null as due
       from programs where id = $1`,
      [programId, shop.silver],
    )
    return row
  }
  expect(await count()).toEqual({ moved: 450, due: false })
  expect(await shop.log()).toHaveLength(450)
})

test('nothing is moved of what has changed since it was read', async () => {
  const shop = await stage()
  const maya = await shop.addPartner({ slug: 'maya' })
  await shop.sell(maya.id, 12_000)
  const db = connect(world.env())
  const now = night(1)
  const [program] = await listDueTiers(db, now, 10)
  const read = program && (await listTiered(db, program, now, 10))
  const [partner] = read?.partners ?? []
  if (!program || !partner) throw new Error('Nothing is due.')
  const change = {
    ...{ partner, facts: tierOf(partner.figures), state: NO_TIER },
    move: { groupId: shop.silver, mail: null },
  }
  const save = () => saveMoves(db, program, { after: null, to: null, changes: [change], now })
  await shop.move(maya.id, shop.special)
  expect(await save()).toBe(false)
  await world.query('update partners set group_id = null where id = $1', [maya.id])
  await shop.setTiers('Europe/Berlin')
  expect(await save()).toBe(false)
  await shop.setTiers()
  expect(await Promise.all([save(), save()])).toEqual(expect.arrayContaining([true, false]))
  expect(await shop.groupOf(maya.id)).toBe('Silver')
  expect(await shop.log()).toHaveLength(1)
})

test('the day of the move begins in the time zone of the tiers', async () => {
  const shop = await stage()
  const dueIn = async (timeZone: string) => {
    await shop.setTiers(timeZone)
    const [row] = await world.query<{ at: Date }>(
      'select tiers_due_at as at from programs where id = $1',
      [shop.programId],
    )
    return row?.at.toLocaleTimeString('en-GB', { timeZone })
  }
  expect(await dueIn('Europe/Berlin')).toBe('00:00:00')
  expect(await dueIn('Asia/Kathmandu')).toBe('00:00:00')
  await world.query('update programs set tiers = null where id = $1', [shop.programId])
  const [row] = await world.query('select tiers_due_at from programs where id = $1', [
    shop.programId,
  ])
  expect(row).toEqual({ tiers_due_at: null })
})
