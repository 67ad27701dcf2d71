/**
 * A merchant whose history takes place at times of its own, by the code that the Workers run, in
 * this process. Each step has a second of its own: Stripe's times are whole seconds, and within one
 * the order of two is anybody's guess.
 */
import { v7 } from 'uuid'
import { afterAll, beforeAll, vi } from 'vitest'
import { checkBonuses } from '../../lib/bonuses/check.service.ts'
import { newBudget } from '../../lib/db/budget.service.ts'
import { connect } from '../../lib/db/connection.ts'
import { processEvent } from '../../lib/purchases/apply/apply.service.ts'
import { continueReplans, endWaits } from '../../lib/purchases/apply/late.service.ts'
import { refundByHand } from '../../lib/purchases/corrections/hand-refund.service.ts'
import { readEvent } from '../../lib/purchases/stripe/objects/events.schemas.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'
import { type StripeObject, stripeEvent, type TestEvent } from '../support/stripe.ts'
import { uuid } from '../support/uuid.ts'
import type { AddedBonus, Reached } from './bonuses.ts'
import { columnsOf, type Settings } from './settings.ts'
import { asker, bindingsOf, managing, type Report, tracking } from './workers.ts'

export const SLUGS = ['maya', 'leo', 'nora', 'kim'] as const
export const emailOf = (slug: string): string => `${slug}@partner.example`

/** Partners of both programs, one of them in both under one address, each with a coupon. */
const PARTNERS = [
  [0, 'maya'],
  [0, 'leo'],
  [1, 'maya'],
  [1, 'nora'],
] as const
export const COUPONS = PARTNERS.map(([program, slug]) => `${slug}-${program}`)

const START = Date.parse('2026-08-29T10:00:00.500Z')

type Row = Record<string, unknown>

/** A payment at Stripe. What was not captured of `cents` was released. */
export type Payment = {
  id: string
  charge: string
  invoice: string | null
  cents: number
  capturedCents: number
  currency: string
}

/** A discount as Stripe reports it. */
export type DiscountObject = StripeObject & {
  id: string
  coupon: StripeObject & { id: string }
  subscription: string | null
  end: number | null
}

/** How an event of Stripe's arrives: so many steps later, maybe twice. */
export type Delivery = { late: number; isRepeated: boolean }

/** How a history is played. */
export type Way = {
  /**
   * Stripe's events arrive once, as they are made, and the reports of a batch are sent one by one,
   * whatever the steps say.
   */
  isPrompt: boolean
  /** Which workspace of the account gets each event first. */
  first: 'ours' | 'twin'
}

/** A database, and merchants in it, called once by a test file, at its top. */
export const useHistories = () => {
  const world = usePayouts()
  beforeAll(() => {
    vi.spyOn(console, 'log').mockReturnValue(undefined)
    // Ids are in order of creation, as those of the database are. Its clock is not set.
    let seq = 0
    vi.spyOn(uuid, 'v7').mockImplementation(() =>
      v7({ msecs: performance.timeOrigin + performance.now(), seq: seq++ }),
    )
  })
  afterAll(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
  const db = () => connect(world.env())

  /**
   * Another workspace of the same merchant, with the same coupons, that gets the events of the same
   * account at Stripe.
   */
  const addTwin = async (): Promise<string> => {
    const { seed, workspaceId, programId } = await world.createPayer({ trusted_attribution: true })
    for (const name of SLUGS.slice(0, 3)) {
      const id = await seed.addPartner(workspaceId, programId, { slug: name, email: emailOf(name) })
      for (const coupon of COUPONS.filter((coupon) => coupon.startsWith(name)))
        await seed.addCoupon(workspaceId, id, coupon)
    }
    return workspaceId
  }

  /** A new merchant with two programs and their partners. */
  const begin = async (settings: Settings, { isPrompt, first }: Way) => {
    let now = START
    vi.setSystemTime(now)
    // The cron works for all workspaces.
    await world.empty()
    const payer = await world.createPayer(columnsOf(settings.terms[0]))
    const { seed, workspaceId, slug } = payer
    const programs = [
      payer.programId,
      await seed.addProgram(workspaceId, columnsOf(settings.terms[1])),
    ]
    const programOf = (index: number) => programs[index] ?? ''
    await seed.addMember(workspaceId, 'a manager', 'manager')
    const key = {
      Authorization: `Bearer ${await seed.addApiKey(workspaceId, { scopes: ['track', 'write'] })}`,
    }
    const cookie = { Cookie: 'tributary.session=any', Origin: 'http://tributary.example' }
    await world.query('update workspaces set sales_from = $2 where id = $1', [
      workspaceId,
      settings.salesFrom,
    ])
    const groups = [
      await seed.addGroup(workspaceId, programOf(0), { saleReward: { percent: 30 } }),
      await seed.addGroup(workspaceId, programOf(1), {
        saleReward: { amountCents: 555n, currency: 'EUR' },
      }),
    ]
    for (const [program, name] of PARTNERS) {
      const id = await seed.addPartner(workspaceId, programOf(program), {
        slug: name,
        email: emailOf(name),
      })
      await seed.addCoupon(workspaceId, id, `${name}-${program}`)
    }
    await world.query('update programs set holding_days = $2 where workspace_id = $1', [
      workspaceId,
      settings.holdingDays,
    ])
    if (settings.schedule !== 'manual') {
      await world.query(
        'update programs set payout_schedule = $2, payout_schedule_since = $3 where id = $1',
        [...[programOf(0), settings.schedule, new Date(START)]],
      )
      for (const name of ['maya', 'leo']) await payer.connectAccount(emailOf(name))
    }
    const log: string[] = []
    const ask = asker(bindingsOf(world.env(), db), log)
    const workspaces = [workspaceId]
    if (settings.isShared) workspaces.push(await addTwin())
    const hearing = first === 'twin' ? workspaces.toReversed() : workspaces

    const hear = async (event: TestEvent): Promise<void> => {
      const read = readEvent(JSON.parse(JSON.stringify(event)), {
        backendCreatesCheckouts: settings.idsIn === 'reference',
      })
      if (!read) throw new Error('An event that nobody understands.')
      log.push(`  ${event.type} ${String(event.data.object.id)} arrives`)
      for (const id of hearing) await processEvent(db(), id, read, new Date())
    }
    const fold = async (): Promise<void> => {
      while ((await foldTotals(db(), 500)) > 0);
    }
    let waiting: { steps: number; event: TestEvent }[] = []

    return {
      payer,
      workspaces,
      programOf,
      groupOf: (programId: string) => groups[programs.indexOf(programId)] ?? '',
      log,
      db,
      query: <R extends Row>(text: string, ...values: unknown[]) =>
        world.query<R>(text, [workspaceId, ...values]),
      stripe: () => world.stripe(),
      clicks: [] as string[],
      sales: [] as string[],
      /**
       * Those that no payment at Stripe names, each with its customer and the time of the report.
       */
      untied: [] as { id: string; who: string; at: number }[],
      /** The bodies of reported sales and leads, as a batch has them. */
      reports: [] as ({ kind: string } & object)[],
      payments: [] as Payment[],
      subscriptions: new Map<string, number>(),
      /** Those that have not ended, by their customers. */
      discounts: new Map<string, DiscountObject[]>(),
      /**
       * The coupons of each checkout, invoice and subscription that begins with a trial, by its id
       * at Stripe.
       */
      coupons: new Map<string, string[]>(),
      /** The bonuses of programs, and what their partners have reached, by partner and name. */
      bonuses: new Map<string, AddedBonus[]>(),
      reached: new Map<string, Reached>(),
      imports: [] as { id: string; repeat: () => Promise<unknown> }[],
      /** An id that no other history has. */
      idOf: (name: string) => `${name}_${slug}`.replaceAll('-', ''),
      /** How a checkout names a customer, if the click leaves room for that. */
      named: (person: string, click: string | null) =>
        settings.idsIn === 'reference'
          ? { client_reference_id: click ?? person, metadata: {} }
          : { client_reference_id: click, metadata: click ? {} : { customerExternalId: person } },
      customerOf: (person: string) => `cus_${person}_${slug}`.replaceAll('-', ''),
      report(kind: Report, body: object) {
        if (kind === 'sale' || kind === 'lead') this.reports.push({ kind, ...body })
        return ask(tracking(kind), 'POST', `/api/track/${kind}`, body, key)
      },
      /**
       * Reports a batch. If Stripe's events arrive as they are made, each by itself, as it would
       * have been received in a batch.
       */
      async reportBatch(events: ({ kind: string } & object)[]) {
        if (!isPrompt) return ask(tracking('batch'), 'POST', '/api/track/batch', { events }, key)
        for (const [place, { kind, ...body }] of events.entries()) {
          vi.setSystemTime(now + place)
          await ask(
            tracking(kind === 'sale' ? 'sale' : 'lead'),
            'POST',
            `/api/track/${kind}`,
            body,
            key,
          )
        }
        vi.setSystemTime(now)
      },
      correct: (sale: string, body: object) =>
        ask(managing(''), 'PATCH', `/api/track/sale/${sale}`, body, key),
      manage: (method: string, path: string, body?: object) =>
        ask(managing(path), method, `/api/workspaces/${slug}${path}`, body, cookie),
      refundByHand: async (report: Parameters<typeof refundByHand>[2]) => {
        const outcome = await refundByHand(
          db(),
          { workspaceId, actor: 'a manager', now: new Date() },
          report,
        )
        log.push(`  ${JSON.stringify(report)}: ${JSON.stringify(outcome)}`)
      },
      partners: () =>
        world.query<{ id: string; email: string; programId: string }>(
          'select id, email, program_id as "programId" from partners where workspace_id = $1 order by created_at, id',
          [workspaceId],
        ),
      /** What happens at Stripe now, and arrives as the step says. */
      happen: async (
        type: string,
        object: StripeObject,
        { late, isRepeated }: Delivery,
      ): Promise<void> => {
        const event = stripeEvent(type, object)
        if (isPrompt) return hear(event)
        if (late === 0) await hear(event)
        else waiting.push({ steps: late, event })
        if (isRepeated) waiting.push({ steps: late + 3, event })
      },
      /** Lets time pass. What has waited for its time arrives, the last first. */
      pass: async (gap: number): Promise<void> => {
        now += gap * 1000
        vi.setSystemTime(now)
        waiting = waiting.map(({ steps, event }) => ({ steps: steps - 1, event }))
        const due = waiting.filter(({ steps }) => steps <= 0)
        waiting = waiting.filter(({ steps }) => steps > 0)
        for (const { event } of due.reverse()) await hear(event)
      },
      isWaiting: () => waiting.length > 0,
      cron: async (): Promise<void> => {
        await endWaits(db, new Date())
        await continueReplans(db, new Date())
        await fold()
      },
      checkBonuses: async (): Promise<void> => {
        await fold()
        await checkBonuses(world.env(), new Date(), newBudget(world.env(), 20_000))
      },
      payDue: () => payDue(world.env(), new Date()),
    }
  }
  return { begin, query: world.query }
}
export type History = Awaited<ReturnType<ReturnType<typeof useHistories>['begin']>>
