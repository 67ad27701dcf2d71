/** What the merchant, its partners and Stripe do: done to the product, and to the model. */

import { expect } from 'vitest'
import {
  charge,
  dispute,
  type StripeObject,
  signedHeaders,
  stripeEvent,
} from '../../support/stripe.ts'
import { type Books, MANAGER, SECOND, SECRETS, SLUG, UNREACHABLE } from './merchant.ts'
import {
  type Currency,
  type Earning,
  type Partner,
  type Person,
  type Program,
  shareOf,
} from './terms.ts'
import type { World } from './world.ts'

/** An event of the merchant's Stripe account arrives. */
const hear = async (world: World, type: string, object: StripeObject): Promise<void> => {
  const body = JSON.stringify(stripeEvent(type, object))
  const headers = await signedHeaders(body, SECRETS.account, { at: world.now() })
  const url = `${world.url()}/api/webhooks/stripe/${SLUG}`
  expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200)
}

export const commandsOf = ({ world, model, manager, report, key, idOf, all, slugs }: Books) => ({
  /** From now on Stripe's events about transfers and about payouts to banks arrive. */
  hearEvents: (): void => {
    const url = `${world.url()}/api/webhooks/stripe/${SLUG}`
    world.stripe().addEndpoint({ url, key, secret: SECRETS.account, events: ['transfer.reversed'] })
    const events = ['payout.paid', 'payout.failed']
    world.stripe().addEndpoint({ url, key, secret: SECRETS.connected_accounts, events })
  },

  /** Notes which partner of the product is which of the model. */
  learnIds: async () => {
    const rows = await all<{ id: string; slug: string }>('/partners')
    const ids = new Map(rows.map(({ id, slug }) => [slug, id]))
    for (const { id, slug } of rows) slugs.set(id, slug)
    for (const partner of model.partners) partner.id = ids.get(partner.slug) ?? ''
  },

  /** Imports partners, each with what the former platform owed it, in USD. */
  import: async (
    program: Program,
    rows: { partner: Partner; owed: number }[],
    sendWelcomeEmail: boolean,
  ) => {
    for (let at = 0; at < rows.length; at += 500) {
      const part = rows.slice(at, at + 500)
      const { summary } = await manager.post<{ summary: object }>('/partners/import', {
        programId: idOf(program),
        options: { sendWelcomeEmail, importOpeningBalances: true },
        rows: part.map(({ partner, owed }) => ({
          ...{ email: partner.person.address, name: `Partner ${partner.slug}`, slug: partner.slug },
          ...(owed > 0 && { openingBalanceCents: owed }),
        })),
      })
      expect(summary).toMatchObject({ created: part.length, errors: 0, slugsRenamed: 0 })
    }
    for (const manager of [MANAGER, SECOND]) model.mail('opening_balances', manager)
    const now = world.now()
    for (const { partner, owed } of rows) {
      model.partners.push(partner)
      if (sendWelcomeEmail) model.mail('moved', partner.person.address)
      if (owed > 0)
        model.earn(partner, {
          kind: 'opening_balance',
          currency: 'USD',
          cents: owed,
          at: now,
          payableAt: now,
        })
    }
  },

  /** Somebody clicks a partner's link and buys: reported under the id of the payment at Stripe. */
  sell: async (partner: Partner, currency: Currency, amountCents: number): Promise<Earning> => {
    const { clickId } = await report('click', {
      programId: idOf(partner.program),
      slug: partner.slug,
    })
    const externalId = `pi_${crypto.randomUUID().replaceAll('-', '')}`
    const sale = {
      externalId,
      customerExternalId: `user_${externalId}`,
      amountCents,
      currency,
      clickId,
    }
    expect(await report('sale', sale)).toMatchObject({ attributed: true })
    const cents = shareOf(amountCents, partner.program.percent)
    return model.earn(partner, {
      ...{ kind: 'sale', currency, cents, at: world.now(), sale: { externalId, amountCents } },
    })
  },

  /**
   * Somebody clicks a partner's link and signs up, which earns a flat reward in the partner's
   * group.
   */
  signUp: async (partner: Partner, currency: Currency, cents: number): Promise<Earning> => {
    const { clickId } = await report('click', {
      programId: idOf(partner.program),
      slug: partner.slug,
    })
    expect(await report('lead', { externalId: crypto.randomUUID(), clickId })).toMatchObject({
      attributed: true,
    })
    return model.earn(partner, { kind: 'lead', currency, cents, at: world.now() })
  },

  /** Stripe reports that so much of a payment has been refunded until now. */
  refund: async (earning: Earning, refundedCents: number): Promise<void> => {
    const { externalId = '', amountCents = 0 } = earning.sale ?? {}
    const object = charge({
      ...{ id: externalId.replace('pi_', 'ch_'), payment_intent: externalId },
      ...{
        currency: earning.currency.toLowerCase(),
        amount: amountCents,
        amount_refunded: refundedCents,
      },
    })
    await hear(world, 'charge.refunded', object)
    const reversed = Math.floor(
      (2 * earning.cents * refundedCents + amountCents) / (2 * amountCents),
    )
    model.reverse(earning, reversed - (earning.cents - model.leftOf(earning)), world.now())
  },

  /**
   * A payment is disputed, which reverses what it earned, or its dispute is won, which reinstates
   * it.
   */
  dispute: async (earning: Earning, status: 'needs_response' | 'won'): Promise<void> => {
    const { externalId = '', amountCents = 0 } = earning.sale ?? {}
    const object = dispute({
      ...{ id: externalId.replace('pi_', 'dp_'), charge: externalId.replace('pi_', 'ch_'), status },
      ...{
        payment_intent: externalId,
        currency: earning.currency.toLowerCase(),
        amount: amountCents,
      },
    })
    await hear(world, status === 'won' ? 'charge.dispute.closed' : 'charge.dispute.created', object)
    model.reverse(earning, status === 'won' ? -earning.cents : earning.cents, world.now())
  },

  /** A manager corrects what a partner has earned. */
  adjust: async (partner: Partner, currency: Currency, cents: number): Promise<void> => {
    const reason = 'As agreed by phone'
    const adjustment = {
      externalId: crypto.randomUUID(),
      partnerId: partner.id,
      amountCents: cents,
      currency,
      reason,
    }
    await manager.post('/commissions', adjustment, 201)
    await manager.post('/commissions', adjustment)
    const at = world.now()
    model.earn(partner, { kind: 'adjustment', currency, cents, at, payableAt: at })
    model.byHand(partner.program, cents, at)
  },

  /**
   * Gives people accounts at Stripe as the portal and Stripe's pages would, without an event of it.
   */
  connectDirectly: async (
    people: Person[],
    is: 'enabled' | 'in_review' = 'enabled',
  ): Promise<void> => {
    const workspace = await world.query<{ id: string }>(
      'select id from workspaces where slug = $1',
      [SLUG],
    )
    const rows = people.map((person) => {
      const id = world.stripe().addAccount(key, { email: person.address, country: person.country })
      world.stripe().onboard(id)
      if (is === 'in_review') world.stripe().reviewAccount(id)
      person.account = { id, is, known: is }
      return { email: person.address, country: person.country, id }
    })
    await world.query(
      `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
         select uuidv7(), $1, r.email, r.country, r.id, $4, $3::timestamptz - interval '4 days'
         from jsonb_to_recordset($2) as r(email text, country text, id text)`,
      [workspace[0]?.id, JSON.stringify(rows), world.now(), is],
    )
  },

  /** Opens the portal's form, goes to Stripe, and finishes there or leaves half-way. */
  connect: async (person: Person, end: 'finish' | 'leave', workspace: string): Promise<void> => {
    const portal = world.pages(person.address, '/portal')
    const page = await portal.post('/connect', { workspace, country: person.country })
    if (person.country === UNREACHABLE) {
      expect(page.text).toContain('cannot send money to')
      person.isUnreachable = true
      return
    }
    expect(page.status).toBe(200)
    const [, link = ''] = /url=([^"]+)/.exec(page.headers.get('Refresh') ?? '') ?? []
    const atStripe = await fetch(link, { redirect: 'manual' })
    const form = new URL(`${atStripe.headers.get('Location')}/${end}`, world.stripe().url)
    await fetch(form, { method: 'POST', redirect: 'manual', headers: { Origin: form.origin } })
    await portal.get(`/connect/return?workspace=${workspace}`)
    const id =
      world
        .stripe()
        .accounts(key)
        .findLast(({ email }) => email === person.address)?.id ?? ''
    const is = end === 'finish' ? 'enabled' : 'onboarding'
    const isChange = person.account !== null && person.account.id !== id
    const heldUntil = new Date(world.now().getTime() + 72 * 3_600_000)
    person.account = { id, is, known: is, ...(isChange ? { heldUntil } : { newUntil: heldUntil }) }
    model.mail('payout_account', person.address)
  },
})
