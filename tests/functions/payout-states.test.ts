/**
 * The table of docs/payouts.md that says who can do what in which state of a payout, tried cell by
 * cell through the API.
 */
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { PAYOUT_STATUSES, type PayoutMethod, type PayoutStatus } from '../../lib/payouts/payouts.ts'
import { useDatabase } from '../support/merchant.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()

type Calls = { post: (path: string, body?: unknown) => Promise<{ status: number }> } & Record<
  'patch',
  (path: string, body?: unknown) => Promise<{ status: number }>
>
type Ids = { payout: string; run: string }

const toRun =
  (status: string) =>
  (as: Calls, { run }: Ids) =>
    as.patch(`/payout-runs/${run}`, { status })
const toPayout =
  (action: string, body: object = {}) =>
  (as: Calls, { payout }: Ids) =>
    as.post(`/payouts/${payout}/${action}`, body)

/** What can be done with a payout, and the words by which a cell of the table offers it. */
const ACTIONS = {
  cancel: { words: /cancel(\]\(#canceling\))? it\b/, call: toPayout('cancel') },
  'cancel its run': { words: /(or|cancel) its run/, call: toRun('canceled') },
  'mark its run as paid': { words: /mark the run as paid/, call: toRun('paid') },
  'mark its run as unpaid': { words: /mark the run as unpaid/, call: toRun('processing') },
  'confirm its run': { words: /confirm/, call: toRun('confirmed') },
  return: {
    words: /mark the payout as \[returned\]/,
    call: toPayout('return', { reason: 'The account is closed.' }),
  },
  release: { words: /release its commissions/, call: toPayout('release') },
  resolve: {
    words: /decide yourself/,
    call: toPayout('resolve', {
      outcome: 'not_sent',
      reason: 'The partner’s account shows no such payment.',
    }),
  },
}
type Action = keyof typeof ACTIONS
const ALL = Object.keys(ACTIONS) as Action[]

type Scene = Awaited<ReturnType<typeof createPayout>>

/** A merchant with one payout, which was not sent. */
const createPayout = async (method: PayoutMethod) => {
  const merchant = await createOwing([
    { email: 'ann@partner.example', slug: 'ann', openingBalanceCents: 5_050 },
  ])
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select gen_random_uuid(), workspace_id, email, 'DE', $2, 'enabled', now() - interval '4 days' from partners
     where workspace_id = $1 and slug = 'ann'`,
    [merchant.workspace.id, `acct_${newId().slice(-12)}`],
  )
  const run = await merchant.begin(method)
  const [row] = await database.query<{ id: string }>('select id from payouts where run_id = $1', [
    run,
  ])
  const ids = { payout: row?.id ?? '', run }
  const as = await merchant.asManager()
  return {
    ids,
    as,
    merchant,
    set: (columns: string) =>
      database.query(`update payouts set ${columns} where id = $1`, [ids.payout]),
    /** The payout, its run and its commission, as the API has them. */
    look: async () => {
      const [payout, ran, commissions] = await Promise.all([
        as.get(`/payouts/${ids.payout}`),
        as.get(`/payout-runs/${run}`),
        as.get('/commissions?kind=opening_balance'),
      ])
      const { data } = commissions.body as unknown as { data: { status: string }[] }
      return { payout: payout.body, run: ran.body, commissions: data.map(({ status }) => status) }
    },
  }
}

const act = async ({ as, ids }: Scene, ...actions: Action[]) => {
  for (const action of actions) expect((await ACTIONS[action].call(as, ids)).status).toBe(200)
}
const SENT = `paid_at = now(), transfer_id = 'tr_' || id`
/** As if a request had been made of which nobody knows whether it succeeded. */
const UNCLEAR = 'attempts = 1, key_used_at = now()'

/** The states that a payout may be in, how it gets there, and what a manager can do then. */
const STATES: {
  method: PayoutMethod
  status: PayoutStatus
  is: string
  reach: (scene: Scene) => Promise<unknown>
  allows: Action[]
}[] = [
  {
    method: 'stripe',
    status: 'processing',
    is: 'not sent',
    reach: async () => {},
    allows: ['cancel', 'cancel its run'],
  },
  {
    method: 'stripe',
    status: 'processing',
    is: 'unclear',
    reach: ({ set }) => set(UNCLEAR),
    allows: ['cancel', 'cancel its run'],
  },
  {
    method: 'stripe',
    status: 'canceling',
    is: 'looked up',
    reach: async (scene) => {
      await scene.set(UNCLEAR)
      await act(scene, 'cancel its run')
    },
    allows: [],
  },
  {
    method: 'stripe',
    status: 'canceling',
    is: 'looked up in vain',
    reach: async (scene) => {
      await scene.set(UNCLEAR)
      await act(scene, 'cancel its run')
      await scene.set(
        `key_used_at = now() - interval '4 days', unreachable_since = now() - interval '2 days', failed_look_ups = 9`,
      )
    },
    allows: ['resolve'],
  },
  { method: 'stripe', status: 'paid', is: 'sent', reach: ({ set }) => set(SENT), allows: [] },
  {
    method: 'stripe',
    status: 'reversed',
    is: 'undecided',
    reach: ({ set }) => set(`${SENT}, reversed_cents = amount_cents, reversed_at = now()`),
    allows: ['release'],
  },
  {
    method: 'stripe',
    status: 'failed',
    is: 'refused',
    reach: async ({ set, ids }) => {
      await database.query('update commissions set payout_id = null where payout_id = $1', [
        ids.payout,
      ])
      await set('failed_at = now()')
    },
    allows: [],
  },
  {
    method: 'stripe',
    status: 'canceled',
    is: 'not sent',
    reach: (scene) => act(scene, 'cancel its run'),
    allows: [],
  },
  {
    method: 'manual',
    status: 'processing',
    is: 'not paid',
    reach: async () => {},
    allows: ['cancel', 'cancel its run', 'mark its run as paid'],
  },
  {
    method: 'manual',
    status: 'paid',
    is: 'marked as paid',
    reach: (scene) => act(scene, 'mark its run as paid'),
    allows: ['mark its run as unpaid', 'confirm its run'],
  },
  {
    method: 'manual',
    status: 'paid',
    is: 'confirmed',
    reach: (scene) => act(scene, 'mark its run as paid', 'confirm its run'),
    allows: ['return'],
  },
  {
    method: 'manual',
    status: 'canceled',
    is: 'not paid',
    reach: (scene) => act(scene, 'cancel its run'),
    allows: [],
  },
  {
    method: 'manual',
    status: 'returned',
    is: 'sent back',
    reach: (scene) => act(scene, 'mark its run as paid', 'confirm its run', 'return'),
    allows: [],
  },
  ...(['stripe', 'manual'] as const).map((method) => ({
    method,
    status: 'canceling' as const,
    is: 'letting its commissions go',
    reach: async (scene: Scene) => {
      await act(scene, 'cancel its run')
      await database.query('update commissions set payout_id = $1 where workspace_id = $2', [
        scene.ids.payout,
        scene.merchant.workspace.id,
      ])
      await scene.set('is_freeing = true')
    },
    // Which lets them go at once.
    allows: ['cancel its run' as const],
  })),
]

/** The cells of the table by state: what it means, and what can be done by each method. */
const table = async () => {
  const text = await readFile('docs/payouts.md', 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` \| ([^|]*) \| ([^|]*)\|([^|]*)\|$/gm)].slice(0, 7)
  return new Map(
    rows.map(([, status = '', means = '', stripe = '', manual = '']) => [
      status,
      { means, stripe, manual: manual.trim() === 'the same' ? stripe : manual },
    ]),
  )
}

const offered = (cell: string): Action[] => ALL.filter((action) => ACTIONS[action].words.test(cell))

test('the table has each state, and offers what can be done in it', async () => {
  const cells = await table()
  expect([...cells.keys()].sort()).toEqual([...PAYOUT_STATUSES].sort())
  for (const [status, row] of cells)
    for (const method of ['stripe', 'manual'] as const) {
      const states = STATES.filter((state) => state.method === method && state.status === status)
      const allowed = ALL.filter((action) => states.some(({ allows }) => allows.includes(action)))
      expect({ status, method, can: offered(row[method]) }).toEqual({
        status,
        method,
        can: allowed,
      })
      // A payout by this method is never in this state.
      if (states.length === 0) expect(row[method].trim()).toBe('')
    }
})

test('all of it is for managers, and members see it', async () => {
  const { merchant, ids } = await createPayout('manual')
  const member = merchant.as(await merchant.member())
  expect((await member.get(`/payouts/${ids.payout}`)).status).toBe(200)
  for (const action of ALL)
    expect({ action, ...(await ACTIONS[action].call(member, ids)) }).toMatchObject({
      action,
      status: 403,
    })
})

describe.each(STATES)(
  'a payout by $method that is $status, $is',
  ({ method, status, reach, allows }) => {
    const reached = async () => {
      const scene = await createPayout(method)
      await reach(scene)
      return scene
    }

    test('has its commissions in the state that the table says, and allows nothing else', async () => {
      const scene = await reached()
      const before = await scene.look()
      const [, commissions] =
        /[Ii]ts commissions are `?(\w+)/.exec((await table()).get(status)?.means ?? '') ?? []
      expect([before.payout.status, before.commissions]).toEqual([status, [commissions]])
      // A repeat of what was done before is answered with 200.
      for (const action of ALL.filter((one) => !allows.includes(one)))
        expect([200, 409]).toContain((await ACTIONS[action].call(scene.as, scene.ids)).status)
      expect(await scene.look()).toEqual(before)
    })

    test.each(allows)('can be changed: %s', async (action) => {
      const scene = await reached()
      const before = await scene.look()
      expect((await ACTIONS[action].call(scene.as, scene.ids)).status).toBe(200)
      expect(await scene.look()).not.toEqual(before)
    })
  },
)
