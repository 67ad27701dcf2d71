/**
 * Account links: single-use links that lead the owner of a connected account to Stripe's onboarding
 * form.
 */
import { Hono } from 'hono'
import * as z from 'zod'
import { accountOf } from './accounts-v2.ts'
import { needs } from './authentication.ts'
import type { ApiEnv } from './env.ts'
import { invalidRequest } from './errors.ts'
import { readJson, versionOf } from './json.ts'
import { address } from './params.ts'
import { newId, type Store } from './store.ts'

const LIFETIME_MS = 10 * 60 * 1_000
/** From this version on, Stripe determines the configurations to collect for itself. */
const WITHOUT_CONFIGURATIONS = '2026-09-30'

/** A visit to the form. */
export type Visit = { account: string; refreshUrl: string; returnUrl: string | null }
type Link = Visit & { expiresAt: number; used: boolean }

/** All links, and the visits that they opened. */
export const createLinks = (store: Store) => {
  const links = new Map<string, Link>()
  const visits = new Map<string, Visit>()

  return {
    add: (visit: Visit): { token: string; expiresAt: Date } => {
      const token = newId('alu_test', 40)
      const expiresAt = store.now().getTime() + LIFETIME_MS
      links.set(token, { ...visit, expiresAt, used: false })
      return { token, expiresAt: new Date(expiresAt) }
    },
    find: (token: string): Visit | undefined => links.get(token),
    /** Uses a link. @returns the visit's id; null if the link has expired or was used */
    use: (token: string): string | null => {
      const link = links.get(token)
      if (!link || link.used || link.expiresAt <= store.now().getTime()) return null
      link.used = true
      const id = newId('visit')
      visits.set(id, link)
      return id
    },
    visit: (id: string | undefined): Visit | undefined => (id ? visits.get(id) : undefined),
  }
}
export type Links = ReturnType<typeof createLinks>

const collects = z.strictObject({
  fields: z.enum(['currently_due', 'eventually_due']).optional(),
  future_requirements: z.enum(['include', 'omit']).optional(),
})
const flow = {
  refresh_url: address,
  return_url: address.optional(),
  collection_options: collects.optional(),
}
const configurations = z.array(z.enum(['customer', 'merchant', 'recipient'])).min(1)

/** The purpose of a link, with its details under the purpose's name. */
const useCase = <Flow extends z.ZodType>(details: Flow) =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('account_onboarding'), account_onboarding: details }),
    z.strictObject({ type: z.literal('account_update'), account_update: details }),
  ])
const NewLink = z.strictObject({
  account: z.string().min(1),
  use_case: useCase(z.strictObject(flow)),
})
const OldLink = z.strictObject({
  account: z.string().min(1),
  use_case: useCase(z.strictObject({ ...flow, configurations })),
})

/** @param pageOf the URL of a link's page */
export const accountLinkRoutes = (store: Store, links: Links, pageOf: (token: string) => string) =>
  new Hono<ApiEnv>().post('/v2/core/account_links', needs('account_link_write'), async (c) => {
    const isNew = versionOf(c) >= WITHOUT_CONFIGURATIONS
    const { account: id, use_case } = await readJson(c, isNew ? NewLink : OldLink)
    const account = accountOf(c.var.platform, id)
    if (account.standing === 'closed')
      throw invalidRequest(`The account ${id} is closed.`, 'account_closed')
    const { refresh_url, return_url } =
      use_case.type === 'account_onboarding' ? use_case.account_onboarding : use_case.account_update
    const { token, expiresAt } = links.add({
      account: id,
      refreshUrl: refresh_url,
      returnUrl: return_url ?? null,
    })
    return c.json({
      object: 'v2.core.account_link',
      account: id,
      created: store.now().toISOString(),
      expires_at: expiresAt.toISOString(),
      livemode: false,
      url: pageOf(token),
      use_case,
    })
  })
