/**
 * Somebody with a role of a workspace, who wants to do what only others may: each route has its
 * roles, in one table.
 */
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { paths } from '../../api/paths.ts'
import dashboard from '../../functions/dashboard.tsx'
import manage from '../../functions/manage.ts'
import { ROUTE_ROLES } from '../../lib/auth/roles/roles.ts'
import { ROLES, type Role } from '../../lib/rules/roles/roles.ts'
import { addApprover } from '../support/approvers.ts'
import { askAs } from '../support/in-process.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()

/** Whoever may call no route: a signed-in person of another workspace, and of none. */
const PEOPLE = [...ROLES, 'outsider'] as const
type Person = (typeof PEOPLE)[number]

const named = (routes: { method: string; path: string }[]): string[] => [
  ...new Set(
    routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`),
  ),
]

/** Routes that belong to no workspace, or that no person calls. */
const OF_NO_WORKSPACE =
  /^\w+ (\/app|\/api\/workspaces|\/confirm-address\/:token|\/api\/track\/.*|\/api\/webhooks\/.*)$/

const inDocument = Object.entries(paths)
  .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
  .map((name) => name.replaceAll(/\{(\w+)\}/g, ':$1'))

const ROUTES = [
  ...new Set([...named(manage.routes), ...named(dashboard.routes), ...inDocument]),
].filter((route) => !OF_NO_WORKSPACE.test(route))
const IN_PROCESS = { manage: named(manage.routes), dashboard: named(dashboard.routes) }

let merchant: Merchant
const email = (person: Person) => `${person}@${merchant.workspace.slug}.example`
beforeAll(async () => {
  merchant = await createMerchant()
  for (const role of ROLES) await merchant.seed.addMember(merchant.workspace.id, email(role), role)
})

test('every endpoint and page of a workspace is in the table, and nothing else is', () => {
  expect([...ROUTE_ROLES.keys()].sort()).toEqual(ROUTES.toSorted())
  for (const roles of ROUTE_ROLES.values()) expect(roles).toContain('manager')
})

/** A request of a route, of things that do not exist. */
const requestOf = (route: string) => {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern
    .replace(':workspace', merchant.workspace.slug)
    .replace(/:year(\{.*\})?/, '2026')
    .replaceAll(/:\w+(\{.*?\}+)?/g, () => crypto.randomUUID())
  const isJson = path.startsWith('/api/')
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
  const init =
    method === 'GET' ? {} : { method, headers: { 'Content-Type': type }, body: isJson ? '{}' : '' }
  return { path, init }
}

/** What a person gets to know: only a signed-in member is told that the role is missing. */
const answerTo = async (person: Person, route: string): Promise<'done' | 'role' | 'unknown'> => {
  const { path, init } = requestOf(route)
  const worker = (['manage', 'dashboard'] as const).find((name) => IN_PROCESS[name].includes(route))
  const response = worker
    ? await askAs(worker, email(person), path, init)
    : await fetch(inject('baseUrl') + path, {
        ...init,
        headers: { ...init.headers, Cookie: await sessionOf(person), Origin: inject('baseUrl') },
      })
  const text = await response.text()
  if (response.status === 403 && /Only managers of this workspace/.test(text)) return 'role'
  return response.status === 404 && /not a member of it/.test(text) ? 'unknown' : 'done'
}

const sessions = new Map<Person, Promise<string>>()
const sessionOf = (person: Person) => {
  const session = sessions.get(person) ?? openSession(email(person))
  sessions.set(person, session)
  return session
}

/** The last one: it ends the membership. */
const LEAVE = 'POST /app/:workspace/leave'

const expectTable = async (person: Person) => {
  const routes = [...ROUTES.filter((route) => route !== LEAVE), LEAVE]
  const wrong: string[] = []
  for (const route of routes) {
    const roles: readonly Person[] = ROUTE_ROLES.get(route) ?? []
    const expected = person === 'outsider' ? 'unknown' : roles.includes(person) ? 'done' : 'role'
    const answer = await answerTo(person, route)
    if (answer !== expected) wrong.push(`${route}: ${answer} instead of ${expected}`)
  }
  expect(wrong).toEqual([])
}

const OTHERS = PEOPLE.filter((person) => person !== 'manager')
test.each(OTHERS)('what the table says is what happens to: %s', expectTable)

// What a manager may do, other tests do.
test('what the table says is what happens to: manager', { tags: 'thorough' }, () =>
  expectTable('manager'),
)

/** What a role may change, beside what everybody in the workspace may. */
const changedBy = (role: Role): string[] =>
  [...ROUTE_ROLES]
    .filter(
      ([route, roles]) =>
        roles.includes(role) && !roles.includes('member') && !route.startsWith('GET'),
    )
    .map(([route]) => route.replace(/ (\/api\/workspaces|\/app)\/:workspace/, ' '))

test('finance changes payouts and who pays them, and nothing else', () => {
  const others = changedBy('finance').filter(
    (route) => !/ \/(payouts|payout-runs|payer|settings\/business)\b/.test(route),
  )
  expect(others).toEqual([])
  expect(changedBy('finance')).not.toContain('POST /payouts/owed')
})

test('support changes holds and notes, and nothing else', () => {
  const others = changedBy('support').filter(
    (route) =>
      !/ \/(commissions\/(:id\/(hold|release|reject)|change)|partners\/:id\/notes.*)$/.test(route),
  )
  expect(others).toEqual([])
})

test('a member changes nothing but its own membership and address, and asks what-ifs', () => {
  const changes = [...ROUTE_ROLES].filter(
    ([route, roles]) => roles.includes('member') && !route.startsWith('GET'),
  )
  expect(changes.map(([route]) => route).sort()).toEqual([
    'POST /api/workspaces/:workspace/groups/:id/what-if',
    'POST /api/workspaces/:workspace/programs/:id/what-if',
    'POST /app/:workspace/address',
    'POST /app/:workspace/address/cancel',
    'POST /app/:workspace/address/confirm',
    'POST /app/:workspace/leave',
  ])
})

/** A merchant who owes something, with a person of each role and their sessions. */
const createOffice = async () => {
  const owing = await createOwing()
  const { id, slug } = owing.workspace
  const address = (name: string) => `${name}@${slug}.example`
  const manager = await owing.asManager()
  const sign = async (role: Role) => {
    await owing.seed.addMember(id, address(role), role)
    return owing.as(await openSession(address(role)))
  }
  const [finance, support] = [await sign('finance'), await sign('support')]
  const members = (await manager.get('/members')).body as unknown as {
    data: { id: string; email: string }[]
  }
  const idOf = (name: string) => members.data.find((one) => one.email === address(name))?.id
  return { owing, id, slug, address, manager, finance, support, idOf }
}

describe('finance', () => {
  test('starts a run, downloads its files, marks it as paid, and changes who pays', async () => {
    const { finance, support, slug } = await createOffice()
    const { body } = await finance.post('/payouts/run', { method: 'manual' })
    expect(body.status).toBe('processing')
    const file = `/payout-runs/${body.runId}/export?format=paypal&currency=USD`
    expect((await support.get(file)).body).toEqual(errorShape('manager_required'))
    // Nobody has said how to be paid.
    expect((await finance.get(file)).status).toBe(409)
    expect((await support.patch(`/payout-runs/${body.runId}`, { status: 'paid' })).status).toBe(403)
    expect((await finance.patch(`/payout-runs/${body.runId}`, { status: 'paid' })).status).toBe(200)
    expect((await finance.put('/payer', { name: slug })).status).toBe(200)
  })

  test('approves what a manager has started, once it had the role for 72 hours', async () => {
    const { manager, finance, id, address } = await createOffice()
    await database.query('update workspaces set approval_above_cents = 100 where id = $1', [id])
    const first = (await manager.post('/payouts/run', { method: 'manual' })).body.runId
    expect((await finance.post(`/payout-runs/${first}/approve`)).status).toBe(409)
    await manager.post(`/payout-runs/${first}/decline`)
    await addApprover(database.query, id, address('finance'), 'finance')
    const { runId } = (await manager.post('/payouts/run', { method: 'manual' })).body
    expect((await finance.post(`/payout-runs/${runId}/approve`)).body).toMatchObject({
      approvedBy: address('finance'),
    })
  })

  test('that was a manager for years is new in its role, and raises no limit', async () => {
    const { manager, finance, id, address, idOf } = await createOffice()
    await addApprover(database.query, id, address('finance'))
    await database.query('update workspaces set approval_above_cents = 100 where id = $1', [id])
    await manager.patch('/settings', { approvalAboveCents: null })
    const { limitRequest } = (await manager.get('/settings')).body as unknown as {
      limitRequest: { id: string }
    }
    await manager.patch(`/members/${idOf('finance')}`, { role: 'finance' })
    const approve = `select decide_approval_limit($1, $2, true, $3, '') as refusal`
    expect((await finance.post(`/settings/limit-requests/${limitRequest.id}/approve`)).status).toBe(
      403,
    )
    expect(await database.query(approve, [id, limitRequest.id, address('finance')])).toEqual([
      { refusal: 'recent' },
    ])
    const { runId } = (await manager.post('/payouts/run', { method: 'manual' })).body
    expect((await finance.post(`/payout-runs/${runId}/approve`)).status).toBe(409)
  })
})

test('support holds a commission and releases it, and pays nothing', async () => {
  const { owing, support, finance } = await createOffice()
  await owing.sale({ clickId: await owing.click() })
  const listed = (await support.get('/commissions?status=pending')).body as unknown as {
    data: { id: string }[]
  }
  const path = `/commissions/${listed.data[0]?.id}`
  expect((await finance.post(`${path}/hold`, { note: 'Asked the customer.' })).status).toBe(403)
  expect((await support.post(`${path}/hold`, { note: 'Asked the customer.' })).status).toBe(200)
  expect((await support.post(`${path}/release`)).status).toBe(200)
  expect((await support.post('/payouts/run', { method: 'manual' })).body).toEqual(
    errorShape('manager_required'),
  )
  const note = await support.post(`/partners/${owing.partnerId}/notes`, {
    content: 'Asked for a coupon.',
  })
  expect(note.status).toBe(201)
})

describe('a role', () => {
  test('is given by managers only', async () => {
    const { finance, support, address, idOf } = await createOffice()
    for (const somebody of [finance, support]) {
      expect(
        (await somebody.post('/members', { email: address('second'), role: 'manager' })).status,
      ).toBe(403)
      expect(
        (await somebody.patch(`/members/${idOf('finance')}`, { role: 'manager' })).status,
      ).toBe(403)
    }
  })

  test('works at once for a session that is open', async () => {
    const { manager, support, idOf } = await createOffice()
    expect((await support.get('/payer')).status).toBe(403)
    await manager.patch(`/members/${idOf('support')}`, { role: 'finance' })
    expect((await support.get('/payer')).status).toBe(200)
    await manager.patch(`/members/${idOf('support')}`, { role: 'member' })
    expect((await support.get('/payer')).status).toBe(403)
  })

  test.each(ROLES.filter((role) => role !== 'manager'))(
    'the last manager does not become %s',
    async (role) => {
      const { manager, idOf } = await createOffice()
      expect((await manager.patch(`/members/${idOf('manager')}`, { role })).status).toBe(409)
      expect((await manager.get('/members')).status).toBe(200)
    },
  )

  test('that pays is mailed to all managers, given or taken', async () => {
    const { manager, id, address, idOf } = await createOffice()
    await manager.post('/members', { email: address('eve'), role: 'finance' })
    await manager.patch(`/members/${idOf('support')}`, { role: 'finance' })
    await manager.patch(`/members/${idOf('support')}`, { role: 'member' })
    await manager.patch(`/members/${idOf('support')}`, { role: 'support' })
    await manager.delete(`/members/${idOf('finance')}`)
    const notices = await database.query<{ notice: string; what: string; recipient: string }>(
      `select details ->> 'notice' as notice, details ->> 'what' as what, recipient from mails
       where workspace_id = $1 and kind = 'workspace_notice' order by id`,
      [id],
    )
    expect(notices).toEqual(
      [
        ['finance_added', 'eve'],
        ['finance_added', 'support'],
        ['finance_removed', 'support'],
        ['finance_removed', 'finance'],
      ].map(([notice, name = '']) => ({
        notice,
        what: address(name),
        recipient: address('manager'),
      })),
    )
  })

  test('of a manager that becomes finance is mailed as both', async () => {
    const { manager, id, address, idOf } = await createOffice()
    await addApprover(database.query, id, address('support'))
    await manager.patch(`/members/${idOf('support')}`, { role: 'finance' })
    const notices = await database.query<{ notice: string }>(
      `select distinct details ->> 'notice' as notice from mails
       where workspace_id = $1 and kind = 'workspace_notice' order by 1`,
      [id],
    )
    expect(notices).toEqual([{ notice: 'finance_added' }, { notice: 'manager_removed' }])
  })
})

test('the pages show each role what it may do', async () => {
  const { owing, slug, address, manager } = await createOffice()
  await owing.sale({ clickId: await owing.click() })
  const listed = (await manager.get('/commissions?status=pending')).body as unknown as {
    data: { id: string }[]
  }
  const open = async (role: Role, path: string) =>
    (await browse(await openSession(address(role))).get(`/${slug}${path}`)).html
  const commission = `/commissions/${listed.data[0]?.id}`
  expect(await open('finance', '/payouts')).toContain('Preview payouts')
  expect(await open('support', '/payouts')).not.toContain('Preview payouts')
  expect(await open('support', commission)).toContain(`${commission}/hold`)
  expect(await open('support', commission)).not.toContain(`${commission}/adjust`)
  expect(await open('finance', commission)).not.toContain(`${commission}/hold`)
})
