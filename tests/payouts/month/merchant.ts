/** A merchant, how it is asked, and how what it answers is compared with the model. */
import { expect } from 'vitest'
import { stripeKey } from '../../support/secrets.ts'
import { createModel } from './model.ts'
import type { Asked, Currency, Partner, Payout, Person, Program } from './terms.ts'
import type { World } from './world.ts'

export const SLUG = 'harbour'
export const MANAGER = 'mira@harbour.example'
export const SECOND = 'nils@harbour.example'

/**
 * The merchant's Stripe account is in Germany, from which nothing can be transferred to the last
 * one.
 */
export const COUNTRIES = ['DE', 'FR', 'GB', 'ES', 'IT', 'NL', 'PL', 'CH', 'US'] as const
export const UNREACHABLE = 'US'

export const SECRETS = {
  account: `whsec_${'a'.repeat(32)}`,
  connected_accounts: `whsec_${'c'.repeat(32)}`,
}

type List<Row> = { data: Row[]; nextCursor: string | null }
export type RunResult = {
  runId: string | null
  status: string | null
  previewedAt: string
  totals: { currency: string; amountCents: number; count: number }[]
  payouts: {
    id: string
    partnerId: string
    currency: string
    amountCents: number
    status: string
  }[]
  skipped: { partnerId: string; currency: string; amountCents: number; code: string }[]
}
type PayoutRow = RunResult['payouts'][number] & {
  reversedCents: number
  method: string
  releasedAt: string | null
}

export const SHOP: Program = {
  key: 'shop',
  holdingDays: 7,
  netDays: null,
  minimumCents: 5_000,
  percent: 20,
}
export const CLUB: Program = {
  key: 'club',
  holdingDays: 0,
  netDays: 15,
  minimumCents: 5_000,
  percent: 30,
}

export const sorted = (lines: string[]): string[] => lines.toSorted()

/** Signs a merchant up, with two programs, a Stripe account and webhooks. */
export const openBooks = async (world: World) => {
  const model = createModel([MANAGER, SECOND])
  const key = `${stripeKey()}_from_de`
  const signUp = world.calls(MANAGER, '')
  await signUp.post('', { name: 'Harbour', slug: SLUG, mode: 'test' }, 201)
  const manager = world.calls(MANAGER, SLUG)
  const second = world.calls(SECOND, SLUG)
  await manager.post('/members', { email: SECOND, role: 'manager' }, 201)
  model.mail('invitation', SECOND)
  model.mail('workspace_notice', MANAGER)
  const { key: apiKey } = await manager.post<{ key: string }>('/api-keys', { name: 'shop' }, 201)
  const report = world.reports(apiKey)
  await manager.patch('/settings', { salesFrom: 'api' })
  for (const [purpose, secret] of Object.entries(SECRETS))
    await manager.post('/stripe/secrets', { secret, purpose }, 201)
  await manager.put('/stripe/key', { key })

  const programIds = new Map<Program, string>()
  for (const program of [SHOP, CLUB]) {
    const { key: name, percent, minimumCents, ...terms } = program
    const { id } = await manager.post<{ id: string }>(
      '/programs',
      {
        ...{ name, ...terms, siteUrl: 'https://harbour.example', rewardInterval: 'recurring' },
        ...{ reward: { kind: 'percent', percent }, minimumPayoutCents: minimumCents },
      },
      201,
    )
    programIds.set(program, id)
  }
  const idOf = (program: Program) => programIds.get(program) ?? ''

  /** All rows of a list. */
  const all = async <Row>(path: string): Promise<Row[]> => {
    const rows: Row[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = `${path.includes('?') ? '&' : '?'}limit=200${cursor && `&cursor=${cursor}`}`
      const page: List<Row> = await manager.get<List<Row>>(path + more)
      rows.push(...page.data)
      cursor = page.nextCursor
    }
    return rows
  }

  const slugs = new Map<string, string>()
  const line = (
    one: { partnerId: string; currency: string; amountCents: number },
    end: string | null = '',
  ) => `${slugs.get(one.partnerId)} ${one.amountCents} ${one.currency} ${end ?? ''}`.trim()
  const lineOf = (
    one: { partner: Partner; currency: string; cents: number },
    end: string | null = '',
  ) => line({ ...one, partnerId: one.partner.id, amountCents: one.cents }, end)

  /** Sets what the merchant has at Stripe. */
  const setBalance = (currency: Currency, cents: number): void => {
    world.stripe().setBalance(currency, cents, key)
    model.balance[currency] = cents
  }

  /** The JSON of a run's request. */
  const bodyOf = ({ method, program, exclude = [], maximum, previewedAt }: Asked) => ({
    method,
    ...(program && { programId: idOf(program) }),
    ...(exclude.length > 0 && { excludePartnerIds: exclude.map(({ id }) => id) }),
    ...(maximum && { maxAmountCents: maximum }),
    ...(previewedAt && { previewedAt: previewedAt.toISOString() }),
  })

  /** What a run is asked now. By Stripe it pays what the balance covers. */
  const askedNow = (asked: Omit<Asked, 'at'>): Asked => ({
    ...(asked.method === 'stripe' && { funds: { ...model.balance } }),
    ...asked,
    at: world.now(),
  })

  /** Compares what a run would pay and skip. */
  const comparePreview = (result: Pick<RunResult, 'payouts' | 'skipped'>, asked: Asked): void => {
    const due = model.due(asked)
    const say = (isPaid: boolean) =>
      sorted(
        due.filter(({ code }) => (code === null) === isPaid).map((one) => lineOf(one, one.code)),
      )
    expect(sorted(result.payouts.map((one) => line(one)))).toEqual(say(true))
    expect(sorted(result.skipped.map((one) => line(one, one.code)))).toEqual(say(false))
  }

  /** Compares the payouts of a run with those that the model made, which get their ids. */
  const comparePayouts = async (runId: string, made: Payout[]): Promise<void> => {
    const rows = await all<PayoutRow>(`/payouts?runId=${runId}`)
    expect(sorted(rows.map((one) => line(one, one.status)))).toEqual(
      sorted(made.map((one) => lineOf(one, one.status))),
    )
    const ids = new Map(rows.map((one) => [line(one), one.id]))
    for (const one of made) one.id = ids.get(lineOf(one)) ?? ''
  }

  /**
   * The payouts of a run by Stripe that is sent at once; the model's balance is known to cover
   * them.
   */
  const claimAndSend = (asked: Asked): Payout[] => {
    const made = model.claim(asked)
    for (const one of made) {
      const { account, address } = one.partner.person
      const isTooSmall = one.cents < (model.least[one.currency] ?? 0)
      if (account?.is === 'enabled' && !isTooSmall) {
        model.pay(one, asked.at)
        continue
      }
      model.letGo(one, 'failed', asked.at)
      // It is paid with later earnings, and nobody has to do anything.
      if (isTooSmall) one.partner.tooSmall[one.currency] = one.cents
      else model.mail('payout_failed', address)
      if (account) account.known = account.is
    }
    return made
  }

  /** Each mail that was due was sent, and once. */
  const compareMails = async (): Promise<void> => {
    const rows = await world.query<{ kind: string; recipient: string; status: string }>(
      'select kind, recipient, status from mails',
    )
    expect(sorted(rows.map(({ kind, recipient }) => `${kind} ${recipient}`))).toEqual(
      sorted(model.mails),
    )
    expect(rows.filter(({ status }) => status !== 'sent')).toEqual([])
    expect(
      sorted(
        world
          .inbox()
          .mails()
          .map(({ to }) => to),
      ),
    ).toEqual(sorted(rows.map(({ recipient }) => recipient)))
  }

  /** The scheduled jobs of a minute. */
  const cron = async (): Promise<void> => {
    if (model.takesMinutes()) world.wait(7)
    model.remind(world.now())
    await world.cron()
    await compareMails()
  }

  return {
    ...{
      world,
      model,
      manager,
      second,
      report,
      key,
      idOf,
      all,
      lineOf,
      setBalance,
      askedNow,
      bodyOf,
      cron,
    },
    ...{ line, slugs, comparePreview, comparePayouts, claimAndSend },
    slug: SLUG,
    pages: world.pages(MANAGER, `/app/${SLUG}`),
    secondPages: world.pages(SECOND, `/app/${SLUG}`),
    portal: ({ address }: Person) => world.pages(address, '/portal'),
    workspaceId: async () => {
      const [row] = await world.query<{ id: string }>('select id from workspaces where slug = $1', [
        SLUG,
      ])
      return row?.id ?? ''
    },
  }
}
export type Books = Awaited<ReturnType<typeof openBooks>>
