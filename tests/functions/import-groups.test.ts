/** The groups that rows of a partner import name: found, created, and left alone. */
import { expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const shop = async () => {
  const merchant = await createMerchant()
  const { workspace, programId, seed } = merchant
  const { partners } = await importer(merchant)
  const addGroup = async (name: string, program = programId) => {
    const id = newId()
    await database.query(
      'insert into groups (id, workspace_id, program_id, name) values ($1, $2, $3, $4)',
      [...[id, workspace.id, program, name]],
    )
    return id
  }
  /** The groups of the partners that were imported, by address. */
  const joined = async () =>
    Object.fromEntries(
      (
        await database.query<{ email: string; name: string | null }>(
          `select p.email, g.name from partners p left join groups g on g.id = p.group_id
           where p.program_id = $1 and p.email like '%@group.example'`,
          [programId],
        )
      ).map(({ email, name }) => [email.split('@')[0], name]),
    )
  const groups = async () =>
    (
      await database.query<{ name: string }>(
        'select name from groups where program_id = $1 order by name',
        [programId],
      )
    ).map(({ name }) => name)
  return { merchant, seed, partners, addGroup, joined, groups }
}

const row = (name: string, group?: unknown) => ({ email: `${name}@group.example`, group })

test('a row’s group is found by its id or its name, in any case; of others, only that row fails', async () => {
  const { merchant, seed, partners, addGroup, joined, groups } = await shop()
  const vip = await addGroup('VIP')
  await addGroup('Twin')
  await addGroup('twin')
  const other = await createMerchant()
  const foreign = await addGroup('Elsewhere', await seed.addProgram(merchant.workspace.id))
  const rows = [
    ...[row('a', 'vip'), row('b', vip.toUpperCase()), row('c'), row('d', ' '), row('e', null)],
    ...[
      row('f', 'None such'),
      row('g', 'TWIN'),
      row('h', foreign),
      row('i', 'x'.repeat(256)),
      row('j', 5),
    ],
    row('k', other.programId),
  ]
  for (const options of [{ dryRun: true }, {}]) {
    const { body } = await partners(rows, options)
    expect(body.summary).toMatchObject({ created: 5, errors: 6 })
    expect(body.results.map(({ code }) => code)).toEqual([
      ...Array(5).fill(undefined),
      ...[
        'group_not_found',
        'group_ambiguous',
        'group_not_found',
        'group_invalid',
        'group_invalid',
      ],
      'group_not_found',
    ])
  }
  expect(await joined()).toEqual({ a: 'VIP', b: 'VIP', c: null, d: null, e: null })
  expect(await groups()).toHaveLength(3)
})

test('who exists stays in their group, whatever a second import names', async () => {
  const { partners, addGroup, joined } = await shop()
  await addGroup('VIP')
  await addGroup('Friends')
  await partners([row('a', 'VIP')])
  for (const group of ['Friends', 'None such', undefined]) {
    const { body } = await partners([row('a', group)], { createGroups: true })
    expect(body.results).toMatchObject([{ status: 'skipped_existing' }])
  }
  expect(await joined()).toEqual({ a: 'VIP' })
})

test('createGroups creates those that new partners join, once, without rewards; a dry run none', async () => {
  const { merchant, partners, joined, groups } = await shop()
  await partners([row('a', 'Gold')], { createGroups: true, dryRun: true })
  expect(await groups()).toEqual([])
  const rows = [
    row('a', 'Gold'),
    row('b', 'gold'),
    row('c', 'Silver'),
    { email: 'bad', group: 'Bronze' },
  ]
  const more = { importId: crypto.randomUUID() }
  const first = await partners(rows, { createGroups: true }, more)
  expect(first.body.summary).toMatchObject({ created: 3, errors: 1 })
  expect(await partners(rows, { createGroups: true }, more)).toMatchObject({ body: first.body })
  expect(await groups()).toEqual(['Gold', 'Silver'])
  expect(await joined()).toEqual({ a: 'Gold', b: 'Gold', c: 'Silver' })
  const [audit] = await database.query<{ details: { groupsCreated: string[] } }>(
    `select details from audit_entries where workspace_id = $1 and action = 'partners.imported'`,
    [merchant.workspace.id],
  )
  expect(audit?.details.groupsCreated).toEqual(['Gold', 'Silver'])
})

test('eight imports at once that create one group create it once', async () => {
  const { partners, joined, groups } = await shop()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      partners([row(`p${n}`, n % 2 ? 'Gold' : 'GOLD')], { createGroups: true }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(await groups()).toHaveLength(1)
  expect(new Set(Object.values(await joined())).size).toBe(1)
  expect(Object.keys(await joined())).toHaveLength(8)
})

test('an undo takes partners out of the group, which stays', async () => {
  const { merchant, partners, joined, groups } = await shop()
  const importId = crypto.randomUUID()
  await partners([row('a', 'Gold')], { createGroups: true }, { importId })
  const { post } = await merchant.asManager()
  expect((await post(`/imports/${importId}/undo`, {})).status).toBe(200)
  expect(await joined()).toEqual({})
  expect(await groups()).toEqual(['Gold'])
  expect((await partners([row('a', 'Gold')])).body.summary).toMatchObject({ created: 1 })
  expect(await joined()).toEqual({ a: 'Gold' })
})
