/**
 * A merchant whose payouts are run, or canceled, by Stripe or by bank; what may happen meanwhile;
 * and what its partners were paid in the end.
 */
import { expect } from 'vitest'
import { connect } from '../../../lib/db/connection.ts'
import { changePartner } from '../../../lib/partners/changes/change-partner.queries.ts'
import { disconnect } from '../../../lib/payouts/accounts/onboarding.service.ts'
import { cancelPayout, cancelRun } from '../../../lib/payouts/corrections/cancel.queries.ts'
import { returnPayout } from '../../../lib/payouts/corrections/returned-payouts.queries.ts'
import { changeRun } from '../../../lib/payouts/runs/manual-runs.queries.ts'
import { saveKey } from '../../../lib/payouts/transfers/keys.service.ts'
import { removeStripeKey } from '../../../lib/payouts/transfers/stripe-keys.queries.ts'
import { payDue } from '../../../lib/upkeep/pay-due.service.ts'
import type { usePayouts } from '../../support/payouts.ts'
import type { useSteps } from '../../support/steps.ts'

const PORTAL = 'https://tributary.example/portal'
const RETURN = { reason: 'The account is closed.', portalUrl: PORTAL }
/**
 * So few that payouts are sent two at a time: the later ones are leased long before they are sent.
 */
const FEW_FETCHES = { MAX_FETCHES: '36' }

/** @param observe sees each call of the database and of Stripe */
export const createStage = (
  world: ReturnType<typeof usePayouts>,
  observe: ReturnType<typeof useSteps>['observe'],
) => {
  const db = () => connect(world.env())

  /** A merchant with partners who are owed something, of whom things happen to the first. */
  const begin = async () => {
    const payer = await world.createPayer()
    const due: Record<string, string[]> = {}
    const add = async (
      slug: string,
      owed: { amountCents: number; currency?: string }[],
      sums: string[],
    ) => {
      const partner = await payer.addPartner({ slug, owed })
      due[partner.email] = sums
      return partner
    }
    await add('leo', [{ amountCents: 700, currency: 'EUR' }], ['700 eur'])
    await add('kim', [{ amountCents: 4_900 }], ['4900 usd'])
    await add('ada', [{ amountCents: 300 }], ['300 usd'])
    // The last of those that are claimed and sent.
    const maya = await add('maya', [{ amountCents: 1_000 }, { amountCents: 250 }], ['1250 usd'])
    return { payer, due, maya, emails: Object.keys(due), otherKey: `${payer.key}other` }
  }
  type Scene = Awaited<ReturnType<typeof begin>>

  const act = ({ payer }: Scene) => ({
    workspaceId: payer.workspaceId,
    actor: 'a manager',
    now: new Date(),
  })

  /** Maya's latest payout, and the latest run. */
  const latest = async ({ payer, maya }: Scene) => {
    const [row] = await world.query<{ payout: string | null; run: string | null }>(
      `select (select id from payouts where partner_id = $2 order by id desc limit 1) as payout,
              (select id from payout_runs where workspace_id = $1 order by id desc limit 1) as run`,
      [payer.workspaceId, maya.id],
    )
    return { payout: row?.payout ?? null, run: row?.run ?? null }
  }

  const cancelMayas = async (scene: Scene) => {
    const { payout } = await latest(scene)
    if (payout) await cancelPayout(db(), act(scene), payout)
  }
  const cancelLatestRun = async (scene: Scene) => {
    const { run } = await latest(scene)
    if (run) await cancelRun(db(), act(scene), run)
  }

  /** What may happen at a step. */
  const events: Record<string, (scene: Scene) => Promise<unknown>> = {
    'its payout is canceled': cancelMayas,
    'its run is canceled': cancelLatestRun,
    'its partner is banned': (scene) =>
      changePartner(db(), act(scene), scene.maya.id, { status: 'banned' }),
    'another key of the account is set, and the old one revoked': async ({ payer }) => {
      await payer.replaceKey(`${payer.key}_rolled1`)
      world.stripe().revokeKey(payer.key)
    },
    'the key of another account is set': async (scene) => {
      const save = () => saveKey(world.env(), act(scene), scene.otherKey)
      // Partners are connected under the present one.
      expect(await save()).toEqual({ outcome: 'other_account' })
      // It is accepted once nobody is, which is refused to those whose payouts may be on their way.
      for (const email of scene.emails)
        await disconnect(world.env(), scene.payer.workspaceId, email)
      await save()
    },
    'the key is removed': (scene) => removeStripeKey(db(), act(scene)),
    'the balance runs short': async ({ payer }) => {
      for (const currency of ['usd', 'eur']) world.stripe().setBalance(currency, 350, payer.key)
    },
  }

  const bySchedule = (hours: number) =>
    payDue({ ...world.env(), ...FEW_FETCHES }, world.hoursLater(hours))

  /** Runs payouts with transfers of which nobody knows whether they were made. */
  const runUnclear = async ({ payer }: Scene, turn: number) => {
    const kept = turn % 2 ? ('done' as const) : ('undone' as const)
    world
      .stripe()
      .planTransfersOf(
        payer.key,
        ...Array.from({ length: 4 }, () => ({ status: 500 as const, kept })),
      )
    await payer.run()
    world.stripe().planTransfersOf(payer.key)
  }

  const bankRun = async (scene: Scene) => {
    const { run } = await latest(scene)
    if (!run) return
    for (const status of ['paid', 'confirmed'] as const)
      await changeRun(db(), act(scene), run, status, PORTAL)
    const { payout } = await latest(scene)
    if (payout) await returnPayout(db(), act(scene), payout, RETURN)
  }

  /** The work at whose steps things happen, and what comes before it. */
  const works: Record<
    string,
    {
      before?: (scene: Scene, turn: number) => Promise<unknown>
      work: (scene: Scene) => Promise<unknown>
    }
  > = {
    'payouts are run': { work: ({ payer }) => payer.run({}, FEW_FETCHES) },
    'what is unclear is sent again': { before: runUnclear, work: () => bySchedule(1) },
    'what is unclear is sent with another key on the next day': {
      before: runUnclear,
      work: () => bySchedule(25),
    },
    'a payout that is unclear is canceled': {
      before: runUnclear,
      work: async (scene) => {
        await cancelMayas(scene)
        await bySchedule(25)
      },
    },
    'a run that is unclear is canceled': {
      before: runUnclear,
      work: async (scene) => {
        await cancelLatestRun(scene)
        await bySchedule(25)
      },
    },
    'payouts without funds are canceled': {
      before: async ({ payer }) => {
        world.changeFundsAtTransfer(payer.key, 'usd', 0)
        await payer.run()
        world.stripe().hooks.onCall = undefined
      },
      work: async (scene) => {
        await cancelMayas(scene)
        await cancelLatestRun(scene)
      },
    },
    'payouts are run by bank, and one comes back': {
      work: async (scene) => {
        await scene.payer.run({ method: 'manual' })
        await bankRun(scene)
      },
    },
  }

  /**
   * What each person was paid: by Stripe's books, of both accounts of the merchant, and by bank.
   */
  const paid = async ({ payer, otherKey }: Scene) => {
    const byBank = await world.query<{ email: string; sum: string }>(
      `select p.email, po.amount_cents || ' ' || lower(po.currency) as sum
       from payouts po join partners p on p.id = po.partner_id
       where po.workspace_id = $1 and po.stripe_account_id is null and po.paid_at is not null and po.returned_at is null`,
      [payer.workspaceId],
    )
    const accounts = await world.query<{ email: string; id: string }>(
      'select email, stripe_account_id as id from payout_accounts where workspace_id = $1',
      [payer.workspaceId],
    )
    const transfers = [payer.key, otherKey].flatMap((key) => world.stripe().transfers(key))
    const byStripe = transfers.map(({ destination, amount, currency }) => ({
      email: accounts.find(({ id }) => id === destination)?.email ?? String(destination),
      sum: `${amount} ${currency}`,
    }))
    return Object.fromEntries(
      [...Map.groupBy([...byStripe, ...byBank], ({ email }) => email)].map(([email, sums]) => [
        email,
        sums.map(({ sum }) => sum),
      ]),
    )
  }

  /**
   * Gives the merchant money and a working key of the account whose key is set, and connects the
   * partners to it.
   */
  const setUpAgain = async ({ payer, emails, otherKey }: Scene) => {
    const [set] = await world.query<{ isOther: boolean }>(
      `select last4 = 'xxxx' as "isOther" from stripe_keys where workspace_id = $1`,
      [payer.workspaceId],
    )
    const key = set?.isOther ? otherKey : payer.key
    for (const currency of ['usd', 'eur']) world.stripe().setBalance(currency, 1_000_000, key)
    await payer.replaceKey(`${key}_rolled2`)
    const connected = await world.query<{ email: string }>(
      'select email from payout_accounts where workspace_id = $1 and disconnected_at is null',
      [payer.workspaceId],
    )
    for (const email of emails)
      if (!connected.some((one) => one.email === email)) await payer.connectAccount(email, key)
    return set?.isOther ?? false
  }

  /** The payouts of which it is not certain what became of them. */
  const listOpen = ({ payer }: Scene) =>
    world.query(
      `select status, last_error from payouts
       where workspace_id = $1 and stripe_account_id is not null and status in ('processing', 'canceling')`,
      [payer.workspaceId],
    )

  /**
   * Notes transfers that are asked for although their payout was canceled, or their partner banned,
   * before.
   */
  const watchTransfers = (scene: Scene) => {
    const wrong: string[] = []
    const closed = new Set<string>()
    observe(({ method, url, body }) => {
      if (method !== 'POST' || !url.endsWith('/v1/transfers')) return
      const { transfer_group: group, destination } = Object.fromEntries(new URLSearchParams(body))
      if (closed.has(group ?? '') || closed.has(destination ?? ''))
        wrong.push(`${destination} ${group}`)
    })
    return {
      wrong,
      /** To be called once the event is committed. */
      note: async () => {
        const rows = await world.query<{ name: string }>(
          `select 'payout_' || id as name from payouts where workspace_id = $1 and cancel_requested_at is not null
           union all
           select a.stripe_account_id from payout_accounts a join partners p on (p.workspace_id, p.email) = (a.workspace_id, a.email)
           where a.workspace_id = $1 and p.status = 'banned'`,
          [scene.payer.workspaceId],
        )
        for (const { name } of rows) closed.add(name)
      },
      reinstate: () => closed.delete(scene.maya.account ?? ''),
    }
  }

  /** Confirms what is paid by bank, and approves Maya again, for the run that pays the rest. */
  const payRest = async (scene: Scene, byBank: boolean) => {
    if (byBank) await bankRun(scene)
    await changePartner(db(), act(scene), scene.maya.id, { status: 'approved' })
  }

  return { begin, events, works, paid, setUpAgain, listOpen, watchTransfers, payRest }
}
