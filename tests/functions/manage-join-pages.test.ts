/** The page on which people apply, and the versions of the terms, by the API. */
import { expect, inject, test } from 'vitest'
import { type Answer, createMerchant, useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf, openPages } from '../support/pages.ts'

const database = useDatabase()

const BLANK = {
  open: false,
  intro: '',
  questions: [],
  approves: false,
  groupId: null,
  agreement: null,
}

/** A merchant, and its program's page as a manager sets it. */
const createPage = async () => {
  const merchant = await createMerchant({ group: {} })
  const manager = await merchant.asManager()
  const [group] = await database.query<{ id: string }>(
    'select id from groups where workspace_id = $1',
    [merchant.workspace.id],
  )
  const program = `/programs/${merchant.programId}`
  return {
    merchant,
    manager,
    program,
    groupId: group?.id,
    url: `${inject('baseUrl')}/join/${merchant.programId}`,
    read: async () => (await merchant.get(`${program}/join-page`)).body,
    change: (fields: unknown) => manager.patch(`${program}/join-page`, fields),
    versions: async () =>
      (await merchant.get(`${program}/agreements`)).body.data as unknown as { version: number }[],
  }
}

const result = ({ status, body }: Answer) => [status, body.error?.code ?? null]

test('is blank and closed at first, and each change keeps what it does not name', async () => {
  const { merchant, url, groupId, read, change } = await createPage()
  const at = browse(null, inject('baseUrl'), `/join/${merchant.programId}`)
  expect(await read()).toEqual({ url, ...BLANK })
  expect((await at.get('')).status).toBe(404)

  const opened = { url, ...BLANK, open: true, intro: 'We pay well.' }
  expect((await change({ open: true, intro: ' We pay well. ' })).body).toEqual(opened)
  expect((await at.get('')).text).toContain('We pay well.')
  const more = { questions: ['How many readers?', 'Where?'], approves: true, groupId }
  expect((await change(more)).body).toEqual({ ...opened, ...more })
  const agreement = { version: 1, content: 'Be kind.' }
  expect((await change({ agreement: 'Be kind.' })).body).toEqual({ ...opened, ...more, agreement })
  const closed = { ...opened, ...more, agreement, open: false, groupId: null }
  expect((await change({ open: false, groupId: null })).body).toEqual(closed)
  expect(await read()).toEqual(closed)

  expect((await database.audit(merchant)).map(({ action, details }) => [action, details])).toEqual([
    ['join_page.changed', { isOpen: true }],
    ['join_page.changed', { approves: true, questions: 2 }],
    ['join_page.changed', { agreement: true }],
    ['join_page.changed', { isOpen: false }],
  ])
})

test('refuses what the form refuses, and groups of others', async () => {
  const [{ read, change, url }, theirs] = await Promise.all([createPage(), createPage()])
  for (const wrong of [
    { isOpen: true },
    { open: 'on' },
    { open: null },
    { intro: 'x'.repeat(2_001) },
    { questions: Array(6).fill('Why?') },
    { questions: [' '] },
    { questions: ['Why?\nHow?'] },
    { approves: 1 },
    { groupId: 'x' },
    { agreement: 'x'.repeat(50_001) },
  ])
    expect([wrong, result(await change(wrong))]).toEqual([wrong, [400, 'invalid_body']])
  expect(result(await change({ open: true, groupId: theirs.groupId }))).toEqual([404, 'not_found'])
  expect(await read()).toEqual({ url, ...BLANK })
})

test('changed terms are a new version, whoever changes them, and the same text of a form is none', async () => {
  const { merchant, manager, program, change, versions } = await createPage()
  const actor = `manager@${merchant.workspace.slug}.example`
  await change({ agreement: 'No spam.\n\nBe kind.' })
  const pages = await openPages(merchant)
  const path = `${program}/applications`
  const fields = fieldsOf((await pages.get(path)).html)
  // As browsers end lines.
  await pages.post(path, { ...fields, agreement: 'No spam.\r\n\r\nBe kind.' })
  await change({ open: true })
  expect(await versions()).toHaveLength(1)
  await change({ agreement: null })
  await change({ agreement: '' })
  await change({ agreement: 'Be kinder.' })

  const rows = [3, 2, 1].map((version) => ({
    version,
    createdBy: actor,
    createdAt: expect.any(String),
  }))
  expect((await merchant.get(`${program}/agreements`)).body).toEqual({
    data: rows,
    nextCursor: null,
  })
  const first = (await manager.get(`${program}/agreements?limit=2`)).body
  expect(first).toEqual({ data: rows.slice(0, 2), nextCursor: '2' })
  expect(
    (await manager.get(`${program}/agreements?limit=2&cursor=${first.nextCursor}`)).body,
  ).toEqual({
    data: rows.slice(2),
    nextCursor: null,
  })
  const texts = await Promise.all(
    [1, 2, 3].map(
      async (version) => (await manager.get(`${program}/agreements/${version}`)).body.content,
    ),
  )
  expect(texts).toEqual(['No spam.\n\nBe kind.', null, 'Be kinder.'])
  for (const version of ['0', '4', '-1', '1.5', '1e9', '99999999999', 'x', '%20'])
    expect([version, ...result(await manager.get(`${program}/agreements/${version}`))]).toEqual([
      version,
      404,
      'not_found',
    ])
  for (const cursor of ['x', '0', '99999999999', ''])
    expect(result(await manager.get(`${program}/agreements?cursor=${cursor}`))).toEqual([
      400,
      'invalid_query',
    ])
})

test('concurrent changes of different fields are all kept', async () => {
  const { read, change, url } = await createPage()
  const answers = await Promise.all([
    change({ open: true }),
    change({ intro: 'Hi.' }),
    change({ questions: ['Why?'] }),
    change({ approves: true }),
    change({ agreement: 'Be kind.' }),
  ])
  for (const { status } of answers) expect(status).toBe(200)
  expect(await read()).toEqual({
    url,
    ...BLANK,
    open: true,
    intro: 'Hi.',
    questions: ['Why?'],
    approves: true,
    agreement: { version: 1, content: 'Be kind.' },
  })
})
