// @module-tag thorough
/**
 * What each role sees: no link leads to a page that it may not open, and no button to what it may
 * not do.
 */
import { beforeAll, expect, inject, test } from 'vitest'
import { seeder } from '../../dev/demo/seed.ts'
import { addYear, YEAR_WORKSPACE } from '../../dev/demo/year.ts'
import { ROUTE_ROLES } from '../../lib/auth/roles/roles.ts'
import { ROLES, type Role } from '../../lib/rules/roles/roles.ts'
import { addApprover } from '../support/approvers.ts'
import { connectDirectly } from '../support/databases.ts'
import { holdCommission } from '../support/holds.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { browse, formsOf } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()

/** Pages that differ in an id or a filter's value only are one kind. */
const kindOf = ({ pathname, searchParams }: URL): string =>
  `${pathname.replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d/g, '*')}?${[...new Set(searchParams.keys())].sort()}`

/** As many pages of a kind are opened: they differ in what can be done about each. */
const MOST = 4

const inApp = (slug: string, href: string, from: URL): URL[] => {
  const url = URL.parse(href.replaceAll('&amp;', '&'), from.href)
  return url && url.origin === from.origin && url.pathname.startsWith(`/app/${slug}`) ? [url] : []
}

/** The route of a form, and whether a role may send it. */
const isFor = (role: Role, pathname: string): boolean => {
  for (const [route, roles] of ROUTE_ROLES) {
    const [method, pattern = ''] = route.split(' ')
    const path = new RegExp(`^${pattern.replaceAll(/:\w+(\{.*?\}+)?/g, '[^/]+')}$`)
    if (method === 'POST' && path.test(pathname)) return roles.includes(role)
  }
  return false
}

/**
 * The links and buttons of a workspace's pages that a role is refused, and how many pages were
 * opened.
 */
const deadEnds = async (slug: string, role: Role, cookie: string) => {
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  const dead: string[] = []
  const queue = [{ url: new URL(`/app/${slug}`, inject('baseUrl')), from: '' }]
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { url, from } = next
    const count = counts.get(kindOf(url)) ?? 0
    if (count >= MOST || seen.has(url.href)) continue
    seen.add(url.href)
    counts.set(kindOf(url), count + 1)
    const page = await browse(cookie).get((url.pathname + url.search).replace(/^\/app/, ''))
    if (page.status >= 400) dead.push(`${from} links ${url.pathname}: ${page.status}`)
    if (page.status !== 200 || !page.headers.get('Content-Type')?.startsWith('text/html')) continue
    for (const { action } of formsOf(page.html)) {
      for (const target of action ? inApp(slug, action, url) : [url])
        if (!isFor(role, target.pathname))
          dead.push(`${url.pathname} has a form for ${target.pathname}`)
    }
    for (const [, href = ''] of page.html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g))
      for (const link of inApp(slug, href, url)) queue.push({ url: link, from: url.pathname })
  }
  return { dead: [...new Set(dead)], pages: counts.size }
}

const people = async (workspaceId: string, slug: string) => {
  const seed = seeder(inject('database'), connectDirectly)
  for (const role of ROLES) await seed.addMember(workspaceId, `${role}@${slug}.example`, role)
}

/**
 * What waits for somebody: a run for approval, files of another one, a held commission, a sale that
 * credits nobody.
 */
const createBusy = async () => {
  const merchant = await createOwing()
  const { id, slug } = merchant.workspace
  const manager = await merchant.asManager()
  await database.query('update workspaces set approval_above_cents = 100 where id = $1', [id])
  await merchant.begin('manual')
  await manager.patch(`/partners/${merchant.partnerId}`, { name: 'Maya' })
  const clickId = await merchant.click()
  await merchant.sale({ clickId })
  await merchant.sale({ clickId, externalId: 'inv_2' })
  await merchant.sale({ externalId: 'inv_3', customerExternalId: 'user_9' })
  await holdCommission(merchant, 'inv_1', 'inv_2')
  await manager.post(`/partners/${merchant.partnerId}/notes`, { content: 'Asks for a coupon.' })
  await manager.post('/commissions', {
    partnerId: merchant.partnerId,
    amountCents: 5_000,
    currency: 'USD',
    reason: 'Bonus',
  })
  await manager.post('/payouts/run', { method: 'manual' })
  await addApprover(database.query, id, `manager@${slug}.example`)
  return merchant.workspace
}

let workspaces: { id: string; slug: string }[] = []
beforeAll(async () => {
  await addYear(inject('database').DATABASE_URL, {
    manager: 'every-page@alder.example',
    member: 'member@alder.example',
  })
  const year = await database.query<{ id: string; slug: string }>(
    'select id, slug from workspaces where slug = $1',
    [YEAR_WORKSPACE],
  )
  workspaces = [...year, await createBusy(), (await createMerchant()).workspace]
  for (const { id, slug } of workspaces) await people(id, slug)
}, 120_000)

test.each(ROLES.filter((role) => role !== 'manager'))(
  'of %s',
  async (role) => {
    for (const { slug } of workspaces) {
      const cookie = await openSession(`${role}@${slug}.example`)
      const { dead, pages } = await deadEnds(slug, role, cookie)
      expect({ slug, dead }).toEqual({ slug, dead: [] })
      expect(pages).toBeGreaterThan(10)
    }
  },
  120_000,
)
