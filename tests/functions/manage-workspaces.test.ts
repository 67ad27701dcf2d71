import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, errorShape, send, useDatabase } from '../support/merchant.ts'
import { signIn } from '../support/people.ts'

const database = useDatabase()
const url = () => `${inject('baseUrl')}/api/workspaces`

/** Somebody who has just signed in for the first time. */
const newcomer = async () => {
  const email = `${newId()}@shop.example`
  const headers = { Cookie: await signIn(email) }
  return {
    email,
    list: async () =>
      (await send(url(), { headers })).body as unknown as { data: { slug: string }[] },
    settings: (slug: string) => send(`${url()}/${slug}/settings`, { headers }),
    create: (body: unknown, more: Record<string, string> = {}) =>
      send(url(), { body, headers: { ...headers, ...more } }),
  }
}

const unique = () => `shop-${newId().slice(-12)}`

describe('POST /api/workspaces', () => {
  test('creates a workspace with its creator as manager, and an audit entry', async () => {
    const person = await newcomer()
    const slug = unique()
    const { status, body } = await person.create({
      name: '  Ann’s shop ',
      slug: slug.toUpperCase(),
    })

    expect(status).toBe(201)
    const workspace = {
      id: expect.any(String),
      slug,
      name: 'Ann’s shop',
      mode: 'live',
      role: 'manager',
    }
    expect(body).toEqual(workspace)
    expect(await person.list()).toEqual({ data: [workspace], nextCursor: null })
    expect(await database.audit({ workspace: { id: String(body.id) } })).toMatchObject([
      { actor: person.email, action: 'workspace.created' },
    ])
  })

  test.each(['live', 'test', undefined])(
    'creates a workspace of the mode %s; live by default',
    async (mode) => {
      const person = await newcomer()
      const slug = unique()
      expect((await person.create({ name: 'Ann’s shop', slug, mode })).status).toBe(201)
      expect(await person.settings(slug)).toMatchObject({
        status: 200,
        body: { mode: mode ?? 'live' },
      })
    },
  )

  test('derives the slug from the name', async () => {
    const person = await newcomer()
    const tail = newId().slice(-12)
    const { body } = await person.create({ name: `Größe & Söhne ${tail}` })
    expect(body.slug).toBe(`grosse-sohne-${tail}`)
  })

  test('refuses a taken slug; one of eight concurrent requests succeeds', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, newcomer))
    const slug = unique()
    const answers = await Promise.all(
      [...people, ...people].map((person) => person.create({ name: 'Ann’s shop', slug })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    for (const { status, body } of answers)
      if (status === 409) expect(body).toEqual(errorShape('conflict'))
    const rows = await database.query('select id from workspaces where slug = $1', [slug])
    expect(rows).toHaveLength(1)
  })

  test.each([
    { case: 'no name', body: {} },
    { case: 'a blank name', body: { name: '  ' } },
    { case: 'a name of two lines', body: { name: 'Ann\nBob' } },
    { case: 'a name that is too long', body: { name: 'x'.repeat(256) } },
    { case: 'a NUL', body: { name: 'Ann\u0000' } },
    { case: 'a name without any letter for a slug', body: { name: '日本' } },
    { case: 'a slug of one letter', body: { name: 'Ann', slug: 'a' } },
    { case: 'a slug with two dashes', body: { name: 'Ann', slug: 'a--b' } },
    { case: 'a slug that looks like an id', body: { name: 'Ann', slug: newId() } },
    { case: 'a slug that is too long', body: { name: 'Ann', slug: 'x'.repeat(64) } },
    { case: 'a slug with a slash', body: { name: 'Ann', slug: 'a/b' } },
    { case: 'an unknown mode', body: { name: 'Ann', mode: 'sandbox' } },
    { case: 'a misspelt field', body: { name: 'Ann', slugg: 'ann' } },
    { case: 'a list', body: [] },
  ])('refuses $case with 400', async ({ body }) => {
    const person = await newcomer()
    expect(await person.create(body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_body' } },
    })
    expect((await person.list()).data).toEqual([])
  })

  test('refuses requests without a session, and cross-site requests', async () => {
    expect(await send(url(), { body: { name: 'Ann' } })).toMatchObject({ status: 401 })
    expect(await send(url())).toMatchObject({ status: 401 })
    const person = await newcomer()
    expect(await person.create({ name: 'Ann' }, { Origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      body: errorShape('cross_site_request'),
    })
  })
})

test('GET /api/workspaces lists the caller’s workspaces only', async () => {
  const merchant = await createMerchant()
  const list = async (cookie: string) => (await send(url(), { headers: { Cookie: cookie } })).body
  const own = {
    id: merchant.workspace.id,
    slug: merchant.workspace.slug,
    name: 'A merchant',
    mode: 'test',
  }
  expect(await list(await merchant.manager())).toEqual({
    data: [{ ...own, role: 'manager' }],
    nextCursor: null,
  })
  expect(await list(await merchant.member())).toEqual({
    data: [{ ...own, role: 'member' }],
    nextCursor: null,
  })
  expect(await list(await merchant.stranger())).toEqual({ data: [], nextCursor: null })
})
