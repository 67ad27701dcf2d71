/** Notes of managers about a partner: the API, and the pages. */
import { describe, expect, inject, test } from 'vitest'
import { type Answer, useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf, formsOf, openPages } from '../support/pages.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const result = ({ status, body }: Answer) => [status, body.error?.code ?? body.content]

/** A partner, and its merchant's manager. */
const createNoted = async () => {
  const partner = await createPartner()
  const { merchant, partnerId } = partner
  const manager = await merchant.asManager()
  const path = `/partners/${partnerId}/notes`
  return {
    ...partner,
    manager,
    path,
    actor: `manager@${merchant.workspace.slug}.example`,
    add: (content: unknown) => manager.post(path, { content }),
    list: async () => (await manager.get(path)).body.data as { id: string; content: string }[],
    log: async () =>
      (await database.audit(merchant)).filter(({ action }) => String(action).startsWith('note.')),
  }
}

test('a note is added, listed newest first and deleted, with audit entries that do not have its text', async () => {
  const { manager, path, actor, add, list, log, partnerId, email } = await createNoted()
  const first = await add('  Met at the fair.\r\nWants a coupon.  ')
  expect([first.status, first.body]).toEqual([
    201,
    {
      id: expect.any(String),
      content: 'Met at the fair.\nWants a coupon.',
      author: actor,
      createdAt: expect.any(String),
    },
  ])
  await add('Called.')
  expect((await list()).map(({ content }) => content)).toEqual(['Called.', first.body.content])

  expect((await manager.delete(`${path}/${first.body.id}`)).status).toBe(204)
  expect(result(await manager.delete(`${path}/${first.body.id}`))).toEqual([404, 'not_found'])
  expect((await list()).map(({ content }) => content)).toEqual(['Called.'])
  const entry = { actor, subject_id: partnerId, details: { email } }
  expect(await log()).toEqual([
    { action: 'note.added', ...entry },
    { action: 'note.added', ...entry },
    { action: 'note.deleted', ...entry },
  ])
})

test('a note is found under its own partner only', async () => {
  const [ours, theirs] = await Promise.all([createNoted(), createNoted()])
  const other = await ours.merchant.seed.addPartner(ours.workspaceId, ours.merchant.programId, {
    slug: 'ben',
  })
  const { id } = (await ours.add('Called.')).body
  for (const answer of [
    await ours.manager.delete(`/partners/${other}/notes/${id}`),
    await theirs.manager.delete(`${theirs.path}/${id}`),
    await theirs.manager.delete(`/partners/${ours.partnerId}/notes/${id}`),
    await theirs.manager.get(ours.path),
    await theirs.manager.post(ours.path, { content: 'Called.' }),
  ])
    expect(result(answer)).toEqual([404, 'not_found'])
  expect(await ours.list()).toHaveLength(1)
  expect(await theirs.list()).toEqual([])
})

test('eight concurrent deletions all succeed, with one audit entry', async () => {
  const { manager, path, add, log } = await createNoted()
  const { id } = (await add('Called.')).body
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => manager.delete(`${path}/${id}`)),
  )
  expect(answers.every(({ status }) => status === 204 || status === 404)).toBe(true)
  expect((await log()).map(({ action }) => action)).toEqual(['note.added', 'note.deleted'])
})

test.each([
  ['no text', undefined],
  ['a blank one', ' \n '],
  ['a number', 5],
  ['one that is too long', 'x'.repeat(2_001)],
  ['a NUL', 'a\0b'],
  ['text that is shown in another order', 'a\u202Eb'],
])('refuses %s', async (_case, content) => {
  expect(result(await (await createNoted()).add(content))).toEqual([400, 'invalid_body'])
})

test('a note of 2,000 characters outside the basic plane is stored', async () => {
  const content = '🦊'.repeat(1_000)
  expect(result(await (await createNoted()).add(content))).toEqual([201, content])
})

test('lists notes with pagination', async () => {
  const { manager, path, add } = await createNoted()
  for (const content of ['A', 'B', 'C']) await add(content)
  const first = (await manager.get(`${path}?limit=2`)).body
  expect(first.data).toMatchObject([{ content: 'C' }, { content: 'B' }])
  const rest = (await manager.get(`${path}?limit=2&cursor=${first.nextCursor}`)).body
  expect(rest).toMatchObject({ data: [{ content: 'A' }], nextCursor: null })
})

describe('pages', () => {
  test('a manager adds a note on the partner’s page, and deletes it after confirmation', async () => {
    const { merchant, path, actor, list } = await createNoted()
    const pages = await openPages(merchant)
    const page = path.replace('/notes', '')
    expect((await pages.get(page)).text).toContain('No notes yet.')
    const added = await pages.post(path, { content: 'Likes <b>trees</b>.\r\nCalled.' })
    expect(added).toMatchObject({
      status: 303,
      location: expect.stringContaining('?done=note_added'),
    })
    const { html } = await pages.get(page)
    expect(html).toContain('Likes &lt;b&gt;trees&lt;/b&gt;.\nCalled.')
    expect(html).toContain(actor)

    const confirm = new RegExp(`${page}/notes/[0-9a-f-]+/delete`).exec(html)?.[0] ?? ''
    expect((await pages.get(confirm)).text).toContain('Likes <b>trees</b>.')
    expect(await list()).toHaveLength(1)
    expect(await pages.post(confirm, {})).toMatchObject({
      status: 303,
      location: expect.stringContaining('?done=note_deleted'),
    })
    expect(await list()).toEqual([])
    expect((await pages.get(confirm)).status).toBe(404)
  })

  test('a form that is sent twice adds one note, and one that is sent again with another text adds another', async () => {
    const { merchant, path, list, log, partnerId } = await createNoted()
    const pages = await openPages(merchant)
    const { html } = await pages.get(path)
    const form = formsOf(html).find(({ action }) => action.endsWith('/notes'))?.fields ?? {}
    await database.whileUncommitted(
      'select from partners where id = $1 for no key update',
      [partnerId],
      () => Promise.all([1, 2].map(() => pages.post(path, { ...form, content: 'Called.' }))),
    )
    expect((await list()).map(({ content }) => content)).toEqual(['Called.'])
    expect(await log()).toHaveLength(1)
    await pages.post(path, { ...form, content: 'Called again.' })
    expect((await list()).map(({ content }) => content)).toEqual(['Called again.', 'Called.'])
    expect(await log()).toHaveLength(2)
  })

  test('a refused form keeps what was typed', async () => {
    const { merchant, path } = await createNoted()
    const { status, html } = await (await openPages(merchant)).post(path, {
      content: 'x'.repeat(2_001),
    })
    expect(status).toBe(400)
    expect(html).toContain('Must have at most 2,000 characters.')
    expect(html).toContain('x'.repeat(2_001))
    expect(fieldsOf(html)).toBeDefined()
  })

  test('the partner’s page shows the newest ten, and leads to all of them', async () => {
    const { merchant, path, workspaceId, partnerId } = await createNoted()
    await database.query(
      `insert into partner_notes (id, workspace_id, partner_id, author, content, created_at)
       select uuidv7(n * interval '1 second'), $1, $2, 'ann@shop.example', 'Note ' || n || '.', now() from generate_series(1, 25) n`,
      [workspaceId, partnerId],
    )
    const pages = await openPages(merchant)
    const notesIn = (text: string) => [...text.matchAll(/Note (\d+)\./g)].map(([, n]) => Number(n))
    const newest = (count: number, from = 25) =>
      Array.from({ length: count }, (_, index) => from - index)
    const { text, html } = await pages.get(path.replace('/notes', ''))
    expect(notesIn(text)).toEqual(newest(10))
    expect(html).toContain(`${path}"`)
    const first = await pages.get(path)
    expect(notesIn(first.text)).toEqual(newest(20))
    const next = /cursor=[0-9a-f-]+/.exec(first.html)?.[0]
    expect(notesIn((await pages.get(`${path}?${next}`)).text)).toEqual(newest(5, 5))
  })

  test('a member reads notes without the forms, and the partner sees none in the portal', async () => {
    const { merchant, path, add, list, cookie } = await createNoted()
    await add('Pays late.')
    const member = await openPages(merchant, 'member')
    for (const page of [path, path.replace('/notes', '')]) {
      const { text, html } = await member.get(page)
      expect(text).toContain('Pays late.')
      expect(html).not.toContain('New note')
      expect(html).not.toContain('/delete"')
    }
    const [note] = await list()
    expect((await member.post(path, { content: 'Mine.' })).status).toBe(403)
    expect((await member.get(`${path}/${note?.id}/delete`)).status).toBe(403)
    expect((await member.post(`${path}/${note?.id}/delete`, {})).status).toBe(403)
    expect(await list()).toHaveLength(1)

    const portal = browse(await cookie(), inject('baseUrl'), '/portal')
    for (const page of ['', '/links', '/commissions', '/events', '/payouts']) {
      const { status, html } = await portal.get(page)
      expect(status).toBe(200)
      expect(html).not.toContain('Pays late.')
    }
  })
})
