/**
 * Every public route under hostile input, as a stranger, and as everybody of tenant A: no 5xx,
 * nothing slower than two seconds, nothing of tenant B in any answer, no row of B changed.
 * `HOSTILE_SEED=7 EXHAUSTIVE=1` plays other requests, 100,000 of them.
 */
import { beforeAll, expect, inject, test } from 'vitest'
import { createApiKey } from '../../lib/auth/keys/api-keys.ts'
import { fillPath } from '../support/hostile/parts.ts'
import {
  type Arms,
  address,
  asCurl,
  generate,
  type Hostile,
  PAGE_ROUTES,
} from '../support/hostile/requests.ts'
import { type Chooser, chooser, documented, INJECTED, SCRIPT } from '../support/hostile/values.ts'
import { useDatabase } from '../support/merchant.ts'
import { formsOf } from '../support/pages.ts'
import { openSession, somebody } from '../support/people.ts'
import { createTenant, type Tenant } from '../support/tenants.ts'
import { isExhaustive, SEEDS, timesOver } from '../support/thorough.ts'

const SEED = Number(process.env.HOSTILE_SEED ?? SEEDS[0])
const RUNS = timesOver({ quick: 150, thorough: 2_000, exhaustive: 100_000 })
/** Requests on the way at a time, as of a few attackers. */
const AT_ONCE = 6
const SLOW_MS = 2_000
/** Others keep the machine busy: what took long is asked again, alone, so many times at most. */
const AGAIN = 20

const database = useDatabase()

let attacker: Tenant
let victim: Tenant
let arms: Arms
let before: Record<string, string>

const many = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, work))

beforeAll(async () => {
  ;[attacker, victim] = [await createTenant(database), await createTenant(database)]
  const { seed, workspace } = attacker
  const person = async (role: 'manager' | 'member' | null) => {
    const email = somebody(role ?? 'stranger')
    if (role) await seed.addMember(workspace.id, email, role)
    return openSession(email)
  }
  const sessions = {
    managers: await many(() => person('manager')),
    members: await many(() => person('member')),
    partners: await many(() => openSession(attacker.email)),
    strangers: await many(() => person(null)),
  }
  const keys = [
    ...(await many(() => seed.addApiKey(workspace.id, { scopes: ['track', 'read', 'write'] }))),
    (await createApiKey({ mode: 'live' })).key,
  ]
  const [own, foreign] = [await attacker.ids(), await victim.ids()]
  const pools = {
    own,
    foreign,
    ids: [own, foreign].flatMap((ids) => Object.values(ids).flat()),
    emails: [
      attacker.email,
      somebody(),
      'ANN@EXAMPLE.COM',
      'jo@münchen.example',
      'maya@partner.example',
    ],
    workspaces: [
      workspace.slug,
      workspace.slug,
      workspace.id,
      victim.workspace.slug,
      victim.workspace.id,
    ],
    slugs: ['maya', 'ann', 'new-partner'],
  }
  arms = { pools, slug: workspace.slug, sessions, keys, forms: [], secret: attacker.secret }
  arms.forms = await harvest()
  before = await victim.fingerprint()
})

/** Fills paths with what is A's, without surprises. */
const plainly = (choose: Chooser, workspace: string, template: string) =>
  fillPath({ ...choose, chance: () => false }, { ...arms.pools, workspaces: [workspace] }, template)

/** Reads the pages of A, and finds their forms. */
const harvest = async () => {
  const choose = chooser(SEED)
  const found = new Map<string, { path: string; fields: Record<string, string> }>()
  for (const { path: route } of PAGE_ROUTES.filter(({ method }) => method === 'GET')) {
    const people = route.startsWith('/portal') ? arms.sessions.partners : arms.sessions.managers
    const path = plainly(choose, attacker.workspace.slug, route)
    const headers = { Cookie: choose.pick(people), 'CF-Connecting-IP': address(choose) }
    const { text } = await sendHostile({ method: 'GET', path, headers })
    for (const { action, fields } of formsOf(text))
      found.set(`${route} ${action} ${Object.keys(fields)}`, { path: action || path, fields })
  }
  return [...found.values()]
}

const sendHostile = async ({ method, path, headers, body }: Hostile) => {
  const start = performance.now()
  const answer = await fetch(inject('baseUrl') + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body && { body }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, ms: performance.now() - start }
}

/** Whether an answer took too long, or the Worker gave up waiting for the database. */
const isLate = ({ status, text, ms }: Awaited<ReturnType<typeof sendHostile>>): boolean =>
  ms > SLOW_MS || (status === 503 && /try_again|could not confirm/.test(text))

/** What is wrong with an answer to a request; null if nothing is. */
const faultOf = ({
  status,
  headers,
  text,
}: Awaited<ReturnType<typeof sendHostile>>): string | null => {
  if (status >= 500) return `${status}: ${text.slice(0, 300)}`
  const shown = text + JSON.stringify([...headers])
  if (shown.includes(victim.canary)) return `${status}, with data of another tenant`
  if (headers.has(INJECTED)) return `${status}, with a header of the caller's`
  if (headers.get('Content-Type')?.startsWith('text/html') && text.includes(SCRIPT))
    return `${status}, with a script of the caller's`
  const location = headers.get('Location')
  if (location && new URL(location, inject('baseUrl')).hostname === 'evil.example')
    return `${status}, to another site`
  return null
}

test('the pages and lists of a tenant show what is searched for in the answers to others', async () => {
  const choose = chooser(SEED)
  const lists = documented.filter(
    ({ method, path }) =>
      method === 'GET' &&
      !path.includes('{id}') &&
      path.includes('{workspace}') &&
      // The audit log of the tenant records its own exports, and nobody else's may change it.
      !path.includes('/export/'),
  )
  const cookie = await victim.manager()
  let shown = 0
  for (const { path } of lists) {
    const own = plainly(choose, victim.workspace.slug, path)
    const { text } = await sendHostile({ method: 'GET', path: own, headers: { Cookie: cookie } })
    if (text.includes(victim.canary)) shown++
  }
  expect(shown).toBeGreaterThan(9)
  expect(arms.forms.length).toBeGreaterThan(25)
})

test('no page and no read shows a manager, member or partner of A anything by an id of B', async () => {
  const routes = [...documented, ...PAGE_ROUTES].filter(
    ({ method, path }) => method === 'GET' && /[{:]id/.test(path),
  )
  const { sessions, pools, slug } = arms
  const foreign = { ...pools, own: pools.foreign, workspaces: [slug] }
  const faults: string[] = []
  for (const { path: route } of routes) {
    // Three rows of the kind, such as both of its partners.
    const paths = [0, 1, 2].map((n) =>
      fillPath(
        { below: () => 0, chance: () => false, pick: (from) => from[n % from.length] as never },
        foreign,
        route,
      ),
    )
    for (const [n, path] of [...new Set(paths)].entries()) {
      const people =
        [sessions.managers, sessions.partners, sessions.members][n] ?? sessions.managers
      const cookie = (route.startsWith('/portal') ? sessions.partners : people)[0] ?? ''
      const asked = [cookie, sessions.managers[1] ?? ''].map((Cookie) => ({
        method: 'GET',
        path,
        headers: { Cookie },
      }))
      for (const request of asked) {
        const answer = await sendHostile(request)
        const fault = isLate(answer) ? null : faultOf(answer)
        if (fault) faults.push(`${fault}\n${asCurl(request)}`)
      }
    }
  }
  expect(faults.join('\n\n')).toBe('')
})

test(`no hostile request of ${RUNS} causes a 5xx, takes two seconds, or reads or changes another tenant (seed ${SEED})`, {
  tags: 'sampled',
  timeout: isExhaustive ? 6 * 3_600_000 : 300_000,
}, async () => {
  const choose = chooser(SEED)
  const faults: string[] = []
  const late: Hostile[] = []
  const statuses = new Map<number, number>()
  const attack = async () => {
    while (sent < RUNS && faults.length < 5) {
      sent++
      const request = await generate(choose, arms)
      const answer = await sendHostile(request).catch((error: Error) => error)
      if (answer instanceof Error) {
        faults.push(
          `${answer.message} ${(answer.cause as Error | undefined)?.message ?? ''}\n${asCurl(request)}`,
        )
        continue
      }
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (isLate(answer)) late.push(request)
      const fault = isLate(answer) && answer.status === 503 ? null : faultOf(answer)
      if (fault) faults.push(`${fault}\n${asCurl(request)}`)
    }
  }
  let sent = 0
  await Promise.all(Array.from({ length: AT_ONCE }, attack))
  for (const request of late) {
    let answer = await sendHostile(request)
    for (let time = 1; isLate(answer) && time < AGAIN; time++) answer = await sendHostile(request)
    const fault = isLate(answer) ? `${answer.status} after ${answer.ms} ms` : faultOf(answer)
    if (fault) faults.push(`${fault}\n${asCurl(request)}`)
  }
  if (process.env.HOSTILE_SEED) console.log(Object.fromEntries(statuses), `${late.length} late`)
  expect(faults.join('\n\n')).toBe('')
  expect(await victim.fingerprint()).toEqual(before)
  // Requests reach the handlers, and not only their refusals.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(RUNS / 20)
})
