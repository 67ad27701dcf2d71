/** A Worker that was taken over rewrites where money goes: each database role tries each write. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ZONES, type Zone, zoneUrl } from '../../cli/roles.ts'
import { newId } from '../../lib/db/ids.ts'
import { addApprover } from '../support/approvers.ts'
import { useDatabase } from '../support/merchant.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()
const owner = inject('database').DATABASE_URL
const zones = Object.keys(ZONES) as Zone[]
const clients = new Map<Zone, pg.Client>()

beforeAll(async () => {
  for (const zone of zones) {
    const client = new pg.Client({ connectionString: zoneUrl(owner, zone) })
    await client.connect()
    clients.set(zone, client)
  }
})
afterAll(() => Promise.all([...clients.values()].map((client) => client.end())))

const FORBIDDEN = '42501'
/**
 * Tries a statement as a role, and takes it back.
 * @returns "forbidden", "done", or what the database answered instead
 */
const attempt = async (zone: Zone, text: string, values: unknown[] = []): Promise<string> => {
  const client = clients.get(zone)
  await client?.query('begin')
  try {
    const result = await client?.query(text, values)
    return result?.rowCount === 0 ? 'no row' : 'done'
  } catch (error) {
    const { code, message } = error as pg.DatabaseError
    return code === FORBIDDEN ? 'forbidden' : message
  } finally {
    await client?.query('rollback')
  }
}

const ALL = 'all'
/** Who may write what of the tables that say where money goes: whole rows, or these columns. */
const WRITERS: Record<
  string,
  { insert?: Zone[]; delete?: Zone[]; update?: Partial<Record<Zone, string[] | 'all'>> }
> = {
  payout_accounts: {
    insert: ['pay'],
    delete: ['pay'],
    update: { pay: ALL, pages: ['email', 'confirm_hash'] },
  },
  payment_details: { insert: ['pages'], update: { pages: ['email', 'canceled_at'] } },
  payout_runs: {
    insert: ['pay'],
    update: {
      pay: ALL,
      pages: [
        ...['created_by', 'first_approved_at', 'first_approved_by', 'approved_at', 'approved_by'],
        ...['declined_at', 'declined_by', 'claimed_at'],
        ...['marked_paid_at', 'confirmed_at', 'canceled_at', 'is_canceling', 'sends_at'],
      ],
    },
  },
  payouts: {
    insert: ['pay'],
    update: {
      pay: ALL,
      pages: [
        ...[
          'paid_at',
          'cancel_requested_at',
          'claimed_at',
          'canceled_at',
          'is_freeing',
          'next_attempt_at',
        ],
        ...[
          'last_error',
          'resolved_at',
          'resolution_reason',
          'released_at',
          'returned_at',
          'return_reason',
        ],
        // By the triggers of commissions.
        ...['commissions', 'deducted_cents', 'restored_cents'],
      ],
    },
  },
  approval_limit_requests: { update: { pages: ['requested_by'] } },
  stripe_keys: { insert: ['pay'], delete: ['pages'], update: { pay: ALL } },
  stripe_secrets: { insert: ['pay'], delete: ['pages'] },
}

const columnsOf = (table: string) =>
  database.query<{ name: string; generated: boolean }>(
    `select attname as name, attgenerated <> '' as generated from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  )

describe.each(zones)('%s', (zone) => {
  test.each(Object.entries(WRITERS))('writes of %s what it must', async (table, may) => {
    const columns = (await columnsOf(table)).filter(({ generated }) => !generated)
    const [{ name: first } = { name: '' }] = columns
    const updated = may.update?.[zone] ?? []
    const wanted = [
      ...(may.insert?.includes(zone) ? ['insert'] : []),
      ...(may.delete?.includes(zone) ? ['delete'] : []),
      ...(updated === ALL ? columns.map(({ name }) => name) : updated),
    ]
    const tries = [
      {
        what: 'insert',
        text: `insert into ${table} (${first}) select ${first} from ${table} where false`,
      },
      { what: 'delete', text: `delete from ${table} where false` },
      ...columns.map(({ name }) => ({
        what: name,
        text: `update ${table} set ${name} = null where false`,
      })),
    ]
    const done: string[] = []
    for (const { what, text } of tries)
      if ((await attempt(zone, text)) !== 'forbidden') done.push(what)
    expect(done.sort()).toEqual(wanted.sort())
  })
})

test('no role raises the limit of approval, trusts a workspace, or says since when somebody has a role', async () => {
  const done: string[] = []
  for (const zone of zones)
    for (const [table, column] of [
      ['workspaces', 'approval_above_cents'],
      ['workspaces', 'trusted_at'],
      ['workspaces', 'erasing_since'],
      ['members', 'role_since'],
    ])
      if ((await attempt(zone, `update ${table} set ${column} = null where false`)) !== 'forbidden')
        done.push(`${zone}: ${column}`)
  expect(done).toEqual([])
})

/**
 * A merchant with a person of each of two accounts, one of them held; details; a run that waits;
 * and payouts that have ended.
 */
const createMoney = async () => {
  const merchant = await createOwing()
  const { id: workspaceId, slug } = merchant.workspace
  const ids = {
    first: newId(),
    held: newId(),
    left: newId(),
    details: newId(),
    canceledDetails: newId(),
    waiting: newId(),
    approved: newId(),
  }
  await merchant.seed.addMember(workspaceId, `new@${slug}.example`, 'manager')
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at, disconnected_at, effective_at)
     values ($2, $1, 'ann@partner.example', 'DE', 'acct_ann', 'enabled', now(), null, null),
            ($3, $1, 'leo@partner.example', 'DE', 'acct_leo', 'enabled', now(), null, now() + interval '72 hours'),
            ($4, $1, 'leo@partner.example', 'DE', 'acct_former', 'enabled', now(), now(), null)`,
    [workspaceId, ids.first, ids.held, ids.left],
  )
  await database.query(
    `insert into payment_details (id, workspace_id, email, method, ciphertext, masked, created_at, effective_at, canceled_at)
     values ($2, $1, 'ann@partner.example', 'wise', 'sealed', 'a…', now(), now() + interval '72 hours', null),
            ($3, $1, 'leo@partner.example', 'wise', 'sealed', 'l…', now(), now() + interval '72 hours', now())`,
    [workspaceId, ids.details, ids.canceledDetails],
  )
  await database.query(
    `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, needs_approval, expected, claimed_at,
                              approved_at, approved_by)
     values ($2, $1, 'stripe', now(), 'a@shop.example', now(), true, '{}', null, null, null),
            ($3, $1, 'stripe', now(), 'a@shop.example', now(), true, '{}', now(), now(), 'b@shop.example')`,
    [workspaceId, ids.waiting, ids.approved],
  )
  const payout = async (columns: string, values: string) => {
    const id = newId()
    await database.query(
      `insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id, created_at,
                            next_attempt_at, ${columns})
       select $2, p.workspace_id, $3, p.program_id, p.id, $4, 500, 'acct_ann', now(), now() + interval '9 years', ${values}
       from partners p where p.workspace_id = $1 and p.slug = 'ann'`,
      [workspaceId, id, ids.approved, ['AUD', 'CAD', 'CHF'][payouts++]],
    )
    return id
  }
  let payouts = 0
  const canceled = await payout('cancel_requested_at, canceled_at', 'now(), now()')
  const failed = await payout('failed_at', 'now()')
  const unsure = await payout('cancel_requested_at, key_used_at', 'now(), now()')
  return { workspaceId, ids: { ...ids, canceled, failed, unsure }, slug }
}

/** What a role that may write some columns tries with them. `$1` is the row. */
const ATTACKS: { what: string; row: string; text: string; by: Zone[] }[] = [
  {
    what: 'gives a person another account',
    row: 'first',
    text: `update payout_accounts set stripe_account_id = 'acct_eve' where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'ends a hold without the link of the mail',
    row: 'held',
    text: `update payout_accounts set effective_at = now() where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'removes a hold',
    row: 'held',
    text: 'update payout_accounts set effective_at = null where id = $1',
    by: ['pages', 'pay'],
  },
  {
    what: 'makes a link of its own that ends a hold',
    row: 'held',
    text: `update payout_accounts set confirm_hash = 'mine' where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'connects a former account again',
    row: 'left',
    text: 'update payout_accounts set disconnected_at = null where id = $1',
    by: ['pages', 'pay'],
  },
  {
    what: 'lets details count at once',
    row: 'details',
    text: `update payment_details set effective_at = now(), created_at = now() - interval '72 hours' where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'writes other details',
    row: 'details',
    text: `update payment_details set ciphertext = 'mine' where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'reinstates details that were canceled',
    row: 'canceledDetails',
    text: 'update payment_details set canceled_at = null where id = $1',
    by: ['pages', 'pay'],
  },
  {
    what: 'adds details of an earlier time',
    row: 'details',
    text: `insert into payment_details (id, workspace_id, email, method, ciphertext, masked, created_at, effective_at)
           select uuidv7(), workspace_id, 'leo@partner.example', 'wise', 'mine', 'm…', now() - interval '80 hours', now() - interval '8 hours'
           from payment_details where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'approves a run by nobody',
    row: 'waiting',
    text: `update payout_runs set approved_at = now(), approved_by = 'eve@evil.example' where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'needs no approval after all',
    row: 'waiting',
    text: 'update payout_runs set needs_approval = false where id = $1',
    by: ['pages', 'pay'],
  },
  {
    what: 'raises what a run pays at most',
    row: 'waiting',
    text: `update payout_runs set expected = '{"USD": {"amountCents": 99999999, "count": 99}}' where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'says that somebody else approved a run',
    row: 'approved',
    text: `update payout_runs set approved_by = 'c@shop.example' where id = $1`,
    by: ['pages', 'pay'],
  },
  {
    what: 'lets a run claim again',
    row: 'approved',
    text: 'update payout_runs set claimed_at = null where id = $1',
    by: ['pages', 'pay'],
  },
  {
    what: 'sends a payout that was canceled',
    row: 'canceled',
    text: 'update payouts set cancel_requested_at = null, canceled_at = null where id = $1',
    by: ['pages', 'pay'],
  },
  {
    what: 'sends a payout that has failed',
    row: 'failed',
    text: 'update payouts set failed_at = null where id = $1',
    by: ['pages', 'pay'],
  },
  {
    what: 'sends a payout elsewhere',
    row: 'canceled',
    text: `update payouts set stripe_account_id = 'acct_leo' where id = $1`,
    by: ['pages'],
  },
  {
    what: 'has a payout paid again that may have been sent',
    row: 'unsure',
    text: 'update payouts set canceled_at = now(), is_freeing = true where id = $1',
    by: ['pages'],
  },
  {
    what: 'decides that a payout was not sent that Stripe was not asked for yet',
    row: 'unsure',
    text: `update payouts set canceled_at = now(), is_freeing = true, resolved_at = now(), resolution_reason = 'x' where id = $1`,
    by: ['pages'],
  },
]

describe('with a row', () => {
  let money: Awaited<ReturnType<typeof createMoney>>
  beforeAll(async () => {
    money = await createMoney()
  })

  test.each(ATTACKS.flatMap(({ by, ...attack }) => by.map((zone) => ({ zone, ...attack }))))(
    '$zone is refused: it $what',
    async ({ zone, row, text }) => {
      expect(await attempt(zone, text, [money.ids[row as keyof typeof money.ids]])).toBe(
        'forbidden',
      )
    },
  )

  test('pages approves by people only who had the role for 72 hours, two of a scheduled run, and may cancel, decline and move', async () => {
    const { ids, slug, workspaceId } = money
    const approve = 'update payout_runs set approved_at = now(), approved_by = $2 where id = $1'
    expect(await attempt('pages', approve, [ids.waiting, `new@${slug}.example`])).toBe('forbidden')
    for (const [text, id] of [
      [
        `update payout_runs set declined_at = now(), declined_by = 'a', claimed_at = now() where id = $1`,
        ids.waiting,
      ],
      [`update payout_accounts set email = 'moved@partner.example' where id = $1`, ids.first],
      ['update payout_accounts set confirm_hash = null where id = $1', ids.held],
      ['update payment_details set canceled_at = now() where id = $1', ids.details],
    ] as const)
      expect({ text, answer: await attempt('pages', text, [id]) }).toEqual({ text, answer: 'done' })
    for (const name of ['ben', 'cleo'])
      await addApprover(database.query, workspaceId, `${name}@${slug}.example`)
    const scheduled = await database.query<{ id: string }>(
      `insert into payout_runs (id, workspace_id, method, cutoff_at, scheduled_for, created_at, needs_approval)
       values (uuidv7(), $1, 'stripe', now(), now(), now(), true) returning id`,
      [workspaceId],
    )
    const both = `update payout_runs set first_approved_at = now(), first_approved_by = $3, approved_at = now(), approved_by = $2
                  where id = $1`
    for (const [first, answer] of [
      ['new', 'forbidden'],
      ['cleo', 'done'],
    ]) {
      const by = ['ben', first].map((name) => `${name}@${slug}.example`)
      expect({ first, answer: await attempt('pages', both, [scheduled[0]?.id, ...by]) }).toEqual({
        first,
        answer,
      })
    }
    const limit = 'select set_approval_limit($1, 99999999, $2, $3)'
    await database.query('update workspaces set approval_above_cents = 100 where id = $1', [
      workspaceId,
    ])
    await clients
      .get('pages')
      ?.query(limit, [workspaceId, 'eve@evil.example', 'https://shop.example'])
    expect(
      await database.query(
        'select approval_above_cents::int as cents from workspaces where id = $1',
        [workspaceId],
      ),
    ).toEqual([{ cents: 100 }])
  })
})
