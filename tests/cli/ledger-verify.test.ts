import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { newId } from '../../lib/db/ids.ts'
import type { Cap } from '../../lib/rules/rewards/caps.ts'
import { violationsOf } from '../support/ledger.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts({ changesSchema: true })

/** Constraints and triggers that these tests drop, to create violations that the API cannot. */
const GUARDS = `
  alter table commissions disable trigger all;
  alter table payouts disable trigger all;
  alter table payouts enable trigger payouts_number;
  alter table commissions drop constraint if exists commissions_payout_id_fkey;
  drop index if exists commissions_event_id_key, commissions_opening_balance_key;
  alter table payouts drop constraint if exists payouts_transfer_id_key;
  alter table payouts drop constraint if exists payouts_transfer_check;`

/**
 * A merchant with a partner who was paid 10 dollars, has 5 more, and a commission that was
 * replaced.
 */
const stage = async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payer.run()
  const later = await payer.earn(maya.id, { amountCents: 500 })
  await payer.reverse(later, 100)
  return { payer, maya, paid: maya.commissions[0] ?? '', later }
}

let staged: Awaited<ReturnType<typeof stage>>
let connection: pg.Client
beforeAll(async () => {
  staged = await stage()
  expect(await world.violations()).toEqual([])
  await world.query(GUARDS)
  connection = new pg.Client({ connectionString: world.env().DATABASE_URL })
  await connection.connect()
})
afterAll(() => connection?.end())

/**
 * In a transaction of each test, which is rolled back: the next one finds the same rows, and the
 * plans of the statements.
 */
const query = async <Row extends Record<string, unknown>>(
  text: string,
  values: unknown[] = [],
): Promise<Row[]> => {
  const name = values.length > 0 ? createHash('md5').update(text).digest('hex') : undefined
  return (await connection.query<Row>({ text, values, ...(name && { name }) })).rows
}
beforeEach(() => query('begin'))
afterEach(() => query('rollback'))

/** What verify_ledger returns, which plans its views each time. */
const violations = async () =>
  (await connection.query({ name: 'violations', text: 'select * from ledger_violations' })).rows

/** Another commission of the same event, customer and partner. */
const copy = (overrides: Record<string, string>) => {
  const columns = [
    ...[
      'id',
      'workspace_id',
      'program_id',
      'partner_id',
      'customer_id',
      'event_id',
      'reward_id',
      'kind',
      'reverses_id',
    ],
    ...['replaces_id', 'amount_cents', 'currency', 'payable_at', 'created_at', 'payout_id'],
  ]
  const values = { id: 'gen_random_uuid()', payout_id: 'null', ...overrides }
  return `insert into commissions (${columns}) select ${columns.map((column) => (values as Record<string, string>)[column] ?? column)} from commissions`
}

/** Issues an invoice for each payout. */
const ISSUE = `
  insert into invoice_numbers (workspace_id, last) select id, 1 from workspaces;
  insert into invoices (id, workspace_id, number, payout_id, supplier, customer, commissions, program_name, agreed_at,
                        issued_at)
  select id, workspace_id, 1, id, '{}', '{}', 1, 'A program', now(), now() from payouts`

/** Stores how a partner wants to be paid. */
const giveDetails = (later: string) => `
  insert into payment_details (id, workspace_id, email, method, created_at, effective_at)
  select gen_random_uuid(), workspace_id, email, 'stripe', now() + interval '${later}', now() + interval '${later}' + interval '72 hours'
  from partners`

/** Holds a commission, with some event as evidence. */
const hold = (
  commissionId: string,
  { evidence = '<>', resolution }: { evidence?: '=' | '<>'; resolution?: 'rejected' } = {},
) => `
  insert into commission_holds (commission_id, workspace_id, reason, evidence_event_id, created_at, resolved_at, resolution)
  select c.id, c.workspace_id, 'possible_duplicate', e.id, now(), ${resolution ? `now(), '${resolution}'` : 'null, null'}
  from commissions c join events e on e.id ${evidence} c.event_id where c.id = '${commissionId}' limit 1`

/** The step of a line that earns 70%, if anything. */
const line = (facts: { line?: number; amountCents: number; earnedCents?: number }) => ({
  code: 'line_reward',
  facts: {
    ...{ line: 1, rule: null, earnedCents: 0, currency: 'USD' },
    pays: facts.earnedCents ? { percent: 70 } : null,
    ...facts,
  },
})

/** Makes a sale of 10 dollars of a commission's event, of which the steps say what lines earn. */
const lined = (commissionId: string, steps: object[]) => `
  update events set kind = 'sale', amount_cents = 1000, currency = 'USD', steps = '${JSON.stringify(steps)}'
  where id = (select event_id from commissions where id = '${commissionId}')`

/** Makes sales of one customer of commissions of 10 and 5 dollars, whose reward has a cap. */
const capped = ({ paid, later }: typeof staged, per: Cap['per'], amountCents: number) => `
  with capped as (
    insert into rewards (id, workspace_id, kind, basis_points, caps)
    select '${newId()}', workspace_id, 'percent', 10000, '${JSON.stringify([{ per, amountCents, currency: 'USD' }])}'
    from commissions where id = '${later}' returning id
  )
  update commissions set kind = 'sale', reward_id = capped.id from capped where commissions.id in ('${paid}', '${later}');
  update events set kind = 'sale', amount_cents = 1000, currency = 'USD',
    customer_id = (select customer_id from commissions where id = '${later}')
  where commission_id in ('${paid}', '${later}')`

/** The reason of an adjustment, for a commission that may be none. */
const adjustment = (commissionId: string, corrects: string) => `
  insert into adjustments (commission_id, workspace_id, external_id, reason, created_by, body_hash, corrects_id)
  select id, workspace_id, 'adj-1', 'Goodwill', 'manager@shop.example', '', ${corrects}
  from commissions where id = '${commissionId}'`

/**
 * Makes a sale of 10 dollars of a commission's event, with a refund that the API would not save.
 */
const refund = (commissionId: string, overrides: Record<string, string>) => {
  const values = {
    ...{
      id: `'${newId()}'`,
      kind: `'refund'`,
      amount_cents: '1000',
      currency: `'USD'`,
      sale_external_id: 'e.external_id',
    },
    ...{
      sale_id: 'e.id',
      partner_id: 'e.partner_id',
      attributed_by: 'e.attributed_by',
      customer_id: 'e.customer_id',
    },
    ...{ body_hash: `''`, requested: `'{}'`, ...overrides },
  }
  const copied = [
    'workspace_id',
    'external_id',
    'event_name',
    'customer_external_id',
    'steps',
    'occurred_at',
  ]
  return `
    update events set kind = 'sale', amount_cents = 1000, currency = 'USD'
    where id = (select event_id from commissions where id = '${commissionId}');
    insert into events (${[...copied, ...Object.keys(values)]})
    select ${[...copied.map((column) => `e.${column}`), ...Object.values(values)]}
    from events e join commissions c on c.event_id = e.id where c.id = '${commissionId}'`
}

const broken: { invariant: string; how: (of: typeof staged) => string }[] = [
  {
    invariant: 'a test partner is never paid',
    how: ({ maya }) => `update partners set is_test = true where id = '${maya.id}'`,
  },
  {
    invariant: 'a payout equals the sum of its commissions',
    how: ({ paid }) => `update commissions set amount_cents = 999 where id = '${paid}'`,
  },
  {
    invariant: 'a failed, canceled, released or returned payout has no commissions',
    how: () => `update payouts set paid_at = null, transfer_id = null, failed_at = now()`,
  },
  {
    invariant: 'a failed, canceled, released or returned payout has no commissions',
    how: () => `update payouts set reversed_cents = amount_cents, reversed_at = now(), released_at = now()
                where transfer_id is not null`,
  },
  {
    invariant: 'a failed, canceled, released or returned payout has no commissions',
    how: () =>
      `update payouts set stripe_account_id = null, transfer_id = null, returned_at = now(), return_reason = 'Closed'`,
  },
  {
    invariant: 'a returned payout is of a confirmed run',
    how: () => `update commissions set payout_id = null;
                update payouts set stripe_account_id = null, transfer_id = null, returned_at = now(), return_reason = 'Closed'`,
  },
  {
    invariant: 'invoices are numbered without gaps',
    how: () => `insert into invoice_numbers (workspace_id, last) select id, 1 from workspaces`,
  },
  {
    invariant: 'credit notes are numbered without gaps',
    how: () =>
      `insert into invoice_numbers (workspace_id, last, last_credit_note) select id, 0, 1 from workspaces`,
  },
  {
    invariant: 'an invoice is credited with what came back of its payout',
    how: () => `${ISSUE}; update payouts set reversed_cents = 300, reversed_at = now()`,
  },
  {
    invariant: 'a person has one change of payment details in waiting',
    how: () => `${giveDetails('0 hours')}; ${giveDetails('71 hours')}`,
  },
  {
    invariant: 'payment details belong to a partner',
    how: () =>
      `${giveDetails('0 hours')}; update payment_details set email = 'nobody@shop.example'`,
  },
  {
    invariant: 'an invoice is of a payout that was paid',
    how: () => `
      ${ISSUE};
      update payouts set paid_at = null, transfer_id = null, canceled_at = now()`,
  },
  {
    invariant: 'a commission is paid to its own partner, in its own currency',
    how: ({ paid }) => `update commissions set currency = 'EUR' where id = '${paid}'`,
  },
  {
    invariant: 'a commission counts on the day of its event',
    how: ({ paid }) => `update commissions set earned_on = earned_on - 1 where id = '${paid}'`,
  },
  {
    invariant: 'no commission is paid before it is payable',
    how: ({ paid }) =>
      `update commissions set payable_at = now() + interval '1 day' where id = '${paid}'`,
  },
  {
    invariant: 'a run pays at most what was previewed',
    how: () => `update payout_runs set expected = '{"USD": {"amountCents": 999, "count": 1}}'`,
  },
  {
    invariant: 'a run pays at most what was previewed',
    how: () => `update payout_runs set expected = '{"EUR": {"amountCents": 1000, "count": 1}}'`,
  },
  {
    invariant: 'a run pays no more than its maximum, and nobody whom it leaves out',
    how: () => `update payout_runs set max_amount_cents = '{"USD": 999}'`,
  },
  {
    invariant: 'a run pays no more than its maximum, and nobody whom it leaves out',
    how: ({ maya }) => `update payout_runs set exclude_partner_ids = array['${maya.id}'::uuid]`,
  },
  {
    invariant: 'a run that needs approval pays nothing before',
    how: () => 'update payout_runs set needs_approval = true',
  },
  { invariant: 'a held commission is not paid', how: ({ paid }) => hold(paid) },
  {
    invariant: 'a rejected commission is reversed in full',
    how: ({ later }) => hold(later, { resolution: 'rejected' }),
  },
  {
    invariant: 'of two sales that may be one purchase, one is held',
    how: ({ paid, later }) => `
      update commissions set kind = 'sale' where id in ('${paid}', '${later}');
      update events set kind = 'sale', amount_cents = 1000, currency = 'USD', occurred_at = now(),
             customer_id = (select customer_id from commissions where id = '${later}')
      where commission_id in ('${paid}', '${later}');
      update events set external_id = 'in_1' where commission_id = '${later}'`,
  },
  { invariant: 'a hold names another event', how: ({ later }) => hold(later, { evidence: '=' }) },
  {
    invariant: 'what was earned in shadow mode is never payable',
    how: () =>
      `insert into shadow_runs (workspace_id, program_id, started_at, ended_at)
       select workspace_id, id, '2020-01-01', '2100-01-01' from programs`,
  },
  {
    invariant: 'a commission that replaces one of shadow mode is never payable',
    how: ({ later }) =>
      `${copy({ replaces_id: 'id', payable_at: 'never()' })} where id = '${later}'`,
  },
  {
    invariant: 'a program in shadow mode has no payout that is not sent',
    how: () =>
      `update programs set mode = 'shadow', shadow_since = now();
       update payouts set paid_at = null`,
  },
  {
    invariant: 'a program is in shadow mode as long as its shadow run',
    how: () => `update programs set mode = 'shadow', shadow_since = now()`,
  },
  {
    invariant: 'a transfer pays one payout',
    how: ({ later }) => `
      with twin as (
        insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents,
                             stripe_account_id, created_at, next_attempt_at, transfer_id, paid_at)
        select '${newId()}', workspace_id, run_id, program_id, partner_id, 'EUR', 500, stripe_account_id, created_at,
               next_attempt_at, transfer_id, paid_at from payouts returning id
      )
      update commissions set payout_id = twin.id, currency = 'EUR' from twin where commissions.id = '${later}'
         or reverses_id = '${later}'`,
  },
  {
    invariant: 'a payout has the status of its manual run',
    how: () => `update payout_runs set method = 'manual'`,
  },
  {
    invariant:
      'a payout uses the method and program of its run, and has a transfer only if Stripe paid it',
    how: () => `update payouts set transfer_id = null`,
  },
  {
    invariant:
      'a payout uses the method and program of its run, and has a transfer only if Stripe paid it',
    how: () => `update payouts set stripe_account_id = null, transfer_id = null`,
  },
  {
    invariant: 'a payout is sent to the account of its own partner',
    how: () => `update payout_accounts set email = 'leo@example.com'`,
  },
  {
    invariant: 'a payout is made once a changed account is in force',
    how: () => `update payout_accounts set effective_at = now() + interval '72 hours'`,
  },
  {
    invariant: 'an event has one current commission',
    how: ({ later }) => `${copy({})} where id = '${later}'`,
  },
  {
    invariant: 'an event has its own commission',
    how: ({ paid, later }) => `
      update events set commission_id = '${paid}' where commission_id = '${later}'`,
  },
  {
    invariant: 'only the current commission of an event earns',
    how: ({ later }) => `update events set commission_id = null where commission_id = '${later}'`,
  },
  {
    invariant: 'a customer has an identity',
    how: () => `delete from customer_identities`,
  },
  {
    invariant: 'an identity belongs to one customer',
    how: () => `
      drop index customer_identities_workspace_id_kind_value_key;
      update customer_identities set value = 'user_1'`,
  },
  {
    invariant: 'a merged customer keeps nothing',
    how: ({ paid, later }) => `
      update customers set partner_id = null, merged_into = (select customer_id from commissions where id = '${later}')
      where id = (select customer_id from commissions where id = '${paid}')`,
  },
  {
    invariant: 'a person earns a one-time reward once',
    how: ({ paid, later }) => `
      update programs set reward_interval = 'one-time';
      update commissions set kind = 'sale' where id in ('${paid}', '${later}');
      update events set customer_id = (select customer_id from commissions where id = '${later}')`,
  },
  {
    invariant: 'a product earns the one-time reward of a customer once',
    how: ({ paid, later }) => `
      update programs set reward_interval = 'one-time', one_time_per = 'product';
      update commissions set kind = 'sale' where id in ('${paid}', '${later}');
      update events set customer_id = (select customer_id from commissions where id = '${later}')`,
  },
  {
    invariant: 'the one-time reward of a product is of a sale that earns by it',
    how: ({ later }) => `
      insert into one_time_rewards (workspace_id, program_id, customer_id, product, event_id)
      select workspace_id, program_id, customer_id, 'mug', event_id from commissions where id = '${later}'`,
  },
  {
    invariant: 'what is held by a budget exceeded it when it was decided',
    how: ({ later }) => `
      insert into commission_holds (commission_id, workspace_id, reason, created_at)
      select id, workspace_id, 'over_budget', now() from commissions where id = '${later}'`,
  },
  {
    invariant: 'a one-time reward is of the customer of its sale',
    how: ({ paid, later }) => `
      insert into one_time_rewards (workspace_id, program_id, customer_id, event_id)
      select p.workspace_id, p.program_id, p.customer_id, l.event_id
      from commissions p, commissions l where p.id = '${paid}' and l.id = '${later}'`,
  },
  {
    invariant: 'a purchase earns under one of its ids',
    how: () => `
      update events set kind = 'sale', amount_cents = 4900, currency = 'USD';
      insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, keys, facts, occurred_at,
                                    received_at)
      select gen_random_uuid(), workspace_id, 'stripe', 'evt_1', 'invoice.paid', true,
             array_agg('report:' || external_id), '[]', now(), now() from events group by workspace_id`,
  },
  {
    invariant: 'a renewal credits the partner of its subscription',
    how: ({ later }) => `
      update events set kind = 'sale', amount_cents = 4900, currency = 'USD', subscription_id = 'sub_1',
                        attributed_by = 'customer';
      update events set partner_id = null, attributed_by = null, occurred_at = occurred_at + interval '1 month'
      where commission_id = '${later}'`,
  },
  {
    invariant: 'a partner has one opening balance',
    how: ({ later }) => {
      const balance = copy({
        customer_id: 'null',
        event_id: 'null',
        reward_id: 'null',
        kind: `'opening_balance'`,
      })
      return `${balance} where id = '${later}'; ${balance} where id = '${later}'`
    },
  },
  {
    invariant: 'an adjustment has its reason',
    how: ({ later }) =>
      `${copy({ customer_id: 'null', event_id: 'null', reward_id: 'null', kind: `'adjustment'` })} where id = '${later}'`,
  },
  { invariant: 'an adjustment has its reason', how: ({ paid }) => adjustment(paid, 'null') },
  {
    invariant: 'an adjustment corrects a commission of its own partner and currency',
    how: ({ paid, later }) => `
      ${adjustment(paid, `'${later}'`)};
      update commissions set currency = 'EUR' where id = '${later}'`,
  },
  {
    invariant: 'reversals do not exceed the commission',
    how: ({ later }) => `update commissions set amount_cents = -501 where reverses_id = '${later}'`,
  },
  {
    invariant: 'reversals do not exceed the commission',
    how: ({ later }) => `update commissions set amount_cents = 1 where reverses_id = '${later}'`,
  },
  {
    invariant: 'an event credits whom a manager has credited by hand',
    how: ({ later }) => `
      update events set steps = '[{"code": "credited_by_hand", "facts": {"partnerId": null}}]'
      where id = (select event_id from commissions where id = '${later}')`,
  },
  {
    invariant: 'what a manager reversed stays reversed',
    how: ({ later }) => `
      insert into adjustments (commission_id, workspace_id, external_id, reason, created_by, body_hash, event_id, corrects_id)
      select id, workspace_id, 'rev-1', 'Ours', 'manager@shop.example', '', event_id, reverses_id
      from commissions where reverses_id = '${later}';
      ${copy({ amount_cents: '50' })} where reverses_id = '${later}'`,
  },
  {
    invariant: 'a replaced commission is reversed in full',
    how: ({ later }) => `
      update commissions set kind = 'sale' where id = '${later}';
      ${copy({ replaces_id: 'id' })} where id = '${later}'`,
  },
  {
    invariant: 'a reversal has the partner, event and currency of its commission',
    how: ({ later }) => `update commissions set currency = 'EUR' where reverses_id = '${later}'`,
  },
  {
    invariant: 'only the credited partner earns by an event',
    how: ({ later }) => `
      update events set partner_id = null, attributed_by = null
      where id = (select event_id from commissions where id = '${later}')`,
  },
  {
    invariant: 'a purchase earns once, however often it is recorded',
    how: ({ later }) => `
      update events set steps = '[{"code": "same_purchase", "facts": {"externalId": "in_1"}}]'
      where id = (select event_id from commissions where id = '${later}')`,
  },
  {
    invariant: 'refunds do not exceed their sale',
    how: ({ later }) => refund(later, { amount_cents: '1001' }),
  },
  {
    invariant: 'a refund is credited as its sale is',
    how: ({ later }) => refund(later, { partner_id: 'null', attributed_by: 'null' }),
  },
  {
    invariant: 'a refund does not wait for a sale that is known',
    how: ({ later }) => refund(later, { sale_id: 'null', amount_cents: 'null' }),
  },
  {
    invariant: 'refunds reverse their part of the commission',
    how: ({ later }) => refund(later, { amount_cents: '202' }),
  },
  {
    invariant: 'a flat reward is not more than its sale',
    how: ({ later }) => `
      with flat as (
        insert into rewards (id, workspace_id, kind, amount_cents, currency)
        select '${newId()}', workspace_id, 'flat', 500, 'USD' from commissions where id = '${later}' returning id
      )
      update commissions set kind = 'sale', reward_id = flat.id from flat where commissions.id = '${later}';
      update events set kind = 'sale', amount_cents = 499, currency = 'USD'
      where id = (select event_id from commissions where id = '${later}')`,
  },
  {
    invariant: 'the lines of an event earn its commission',
    how: ({ later }) =>
      lined(later, [
        ...[line({ amountCents: 700, earnedCents: 490 }), line({ line: 2, amountCents: 300 })],
        { code: 'commission_created', facts: { amountCents: 500, currency: 'USD' } },
      ]),
  },
  {
    invariant: 'the lines of a sale add up to its amount',
    how: ({ later }) => lined(later, [line({ amountCents: 1_001 })]),
  },
  {
    invariant: 'a line earns what its rule pays',
    how: ({ later }) => lined(later, [line({ amountCents: 1_000, earnedCents: 701 })]),
  },
  {
    invariant: 'a commission does not exceed a cap of its reward',
    how: (all) => capped(all, 'sale', 999),
  },
  {
    invariant: 'a customer earns a partner no more than the cap',
    how: (all) => capped(all, 'customer', 1_499),
  },
  {
    invariant: 'a partner earns no more in a month than the cap',
    how: (all) => capped(all, 'partner_month', 1_499),
  },
  {
    invariant: 'a cap leaves what its step says',
    how: ({ later }) =>
      lined(later, [
        { code: 'cap_applied', facts: { capCents: 499, beforeCents: 700, leftCents: 499 } },
      ]),
  },
  {
    invariant: 'the reversals of a line do not exceed what it earned',
    how: ({ later }) => {
      const lines = [{ line: 1, returnedCents: 1_001, reversedCents: 0 }]
      return lined(later, [
        line({ amountCents: 1_000 }),
        { code: 'commission_reversed', facts: { lines } },
      ])
    },
  },
  {
    invariant: 'a bonus is for a milestone of its partner',
    how: ({ maya }) => `
      insert into partner_bonuses (partner_id, name, workspace_id, milestone, since, commission_id)
      select partner_id, 'Ten sales', workspace_id, '{}', now(), id
      from commissions where partner_id = '${maya.id}' and kind <> 'reversal' limit 1`,
  },
  {
    invariant: 'a bonus is reversed as a whole, or not at all',
    how: ({ later }) => `
      update commissions set kind = 'bonus', event_id = null, customer_id = null, reward_id = null
      where id = '${later}'`,
  },
  {
    invariant: 'what was returned of a sale is a part of it',
    how: ({ later }) => `
      ${lined(later, [])};
      update events set returned_cents = 1001 where kind = 'sale'`,
  },
  {
    invariant: 'the steps of a sale say what was returned of it',
    how: ({ later }) =>
      lined(later, [
        {
          code: 'commission_reversed',
          facts: { refundedCents: 100, disputedCents: 0, paidCents: 1_000 },
        },
      ]),
  },
  {
    invariant: 'totals are what they sum up',
    how: () => `
      insert into total_deltas (workspace_id, partner_id, day, clicks) select workspace_id, id, now(), 1 from partners`,
  },
  {
    invariant: 'a partner was last active on its newest day',
    how: ({ maya }) => `
      insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, last_active_on)
      select id, workspace_id, 'partner', 'all', 'all_time', '-infinity', now() from partners where id = '${maya.id}'`,
  },
  {
    invariant: 'a payout keeps the sums of its commissions',
    how: () => 'update payouts set commissions = commissions + 1',
  },
  {
    invariant: 'former terms end when the present ones begin',
    how: () => 'update partners set terms_since = now()',
  },
  {
    invariant: 'no row refers to another workspace',
    how: ({ paid }) => `
      insert into workspaces (id, slug, name) values ('${newId()}', 'another', 'Another');
      update commissions set workspace_id = (select id from workspaces where slug = 'another') where id = '${paid}'`,
  },
]

test.each(broken)(
  'the views of verify_ledger find that not so, and so do tests in a workspace: $invariant',
  async ({ invariant, how }) => {
    await query(how(staged))
    const found = await violations()
    expect(found.map((violation) => violation.invariant)).toContain(invariant)
    expect(found[0]).toMatchObject({
      workspace_id: expect.any(String),
      subject_id: expect.any(String),
      details: expect.any(String),
    })
    const byWorkspace = []
    for (const id of new Set(found.map((violation) => String(violation.workspace_id))))
      byWorkspace.push(...(await violationsOf(query, id)))
    // The details may list the same in another order.
    const subjects = (violations: Record<string, unknown>[]) =>
      violations.map((one) => `${one.invariant}: ${one.workspace_id} ${one.subject_id}`).sort()
    expect(subjects(byWorkspace)).toEqual(subjects(found))
  },
)

test('verify_ledger returns what its views find, of all workspaces or of one', async () => {
  await query('update payouts set commissions = commissions + 1')
  const found = await violations()
  expect(found).toHaveLength(1)
  expect(await query('select * from verify_ledger()')).toEqual(found)
  const ofWorkspace = (id: string) => query('select * from verify_ledger($1)', [id])
  expect(await ofWorkspace(found[0]?.workspace_id)).toEqual(found)
  expect(await ofWorkspace(newId())).toEqual([])
})

test('every view of what is broken is part of verify_ledger, and is seen to find something here', async () => {
  const views = await world.query<{ name: string; definition: string; isPart: boolean }>(
    `select viewname as name, definition,
            pg_get_viewdef('ledger_violations'::regclass) ~ ('\\m' || viewname || '\\M') as "isPart"
     from pg_views where viewname like 'broken\\_%'`,
  )
  const invariantOf = (definition: string) => /'([^']+)'::text AS invariant/.exec(definition)?.[1]
  expect(views.length).toBeGreaterThan(50)
  expect(views.filter(({ isPart }) => !isPart)).toEqual([])
  const named = views.map(({ definition }) => invariantOf(definition))
  expect(new Set(broken.map(({ invariant }) => invariant))).toEqual(new Set(named))
})

const verify = (...options: string[]) =>
  promisify(execFile)(process.execPath, ['cli/ledger-verify.ts', ...options], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: world.env().DATABASE_URL },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )

test('npm run ledger:verify prints the violations, and exits with 1 if there are any', async () => {
  expect(await verify()).toEqual({
    code: 0,
    stdout: [
      'The ledger is consistent: 3 commissions and 1 payout.',
      'It agrees with what was received and returned of 0 purchases.\n',
    ].join('\n'),
    stderr: '',
  })
  await world.query(`update commissions set amount_cents = 999 where id = '${staged.paid}'`)
  const { code, stdout } = await verify()
  expect(code).toBe(1)
  expect(stdout).toContain('Violated: a payout equals the sum of its commissions.')
  expect(stdout).toContain('1000 USD, commissions of 999')
  expect(stdout).toContain('Violated: totals are what they sum up.')

  const repaired = await verify('--repair')
  expect(repaired.stdout).toContain('All totals were recounted.')
  expect(repaired.stdout).toContain('1 violation in 3 commissions')
})

test('npm run ledger:verify names the purchases whose money the ledger does not have, and exits with 1', async () => {
  await world.query(
    `insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, keys, facts, occurred_at,
                                   received_at, outcome)
     select gen_random_uuid(), id, 'stripe', 'evt_paid', 'invoice.paid', true, '{in_1}'::text[], $1::jsonb, now(), now(), '{"code": "no_sale"}'::jsonb
     from workspaces
     union all
     select gen_random_uuid(), id, 'stripe', 'evt_odd', 'invoice.paid', true, '{}', '[]', now(), now(),
            '{"code": "unreadable", "facts": {"reason": "amount_paid is not a number"}}' from workspaces
     union all
     select gen_random_uuid(), id, 'stripe', 'evt_new', 'invoice.paid', true, '{in_2}', $1::jsonb, now(), now(), null from workspaces`,
    [
      JSON.stringify([
        {
          kind: 'invoice',
          id: 'in_1',
          paidAt: '2026-01-05T00:00:00.000Z',
          paid: { grossCents: 4_900, netCents: 4_900, currency: 'USD' },
        },
      ]),
    ],
  )
  const { code, stdout } = await verify()
  expect(code).toBe(1)
  expect(stdout).toContain('in_1: 49.00 USD was received, and no sale is recorded.')
  expect(stdout).toContain(
    'evt_odd (invoice.paid) could not be read, so nothing of it counts: amount_paid is not a number.',
  )
  expect(stdout).toContain('2 differences from what was received and returned, in 1 purchase.')
  expect(stdout).toContain('Not compared, because they are being processed: 1 purchase.')
})
