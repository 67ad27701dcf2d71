/** Addresses of a database that is older than their one form. */

import type pg from 'pg'
import { expect, test } from 'vitest'
import { bringOverAddresses } from '../../cli/addresses.ts'
import { seeder } from '../../dev/demo/seed.ts'
import { connectDirectly, TEMPLATE, withDatabase } from '../support/databases.ts'

const LETTERS = 'müller.example'
const ASCII = 'xn--mller-kva.example'

const columnOf = async (
  client: pg.Client,
  sql: string,
  values: unknown[] = [],
): Promise<unknown[]> =>
  (await client.query<{ value: unknown }>(sql, values)).rows.map(({ value }) => value)

/**
 * A database with a workspace of two programs, and rows with addresses as earlier versions stored
 * them.
 */
const withOldRows = (
  name: string,
  work: (old: {
    client: pg.Client
    workspace: { id: string; slug: string }
    partner: (email: string, inSecond?: boolean) => Promise<string>
    customer: (email: string, partnerId: string) => Promise<string>
    payment: (email: string) => Promise<string>
    emails: (table: string, column?: string) => Promise<unknown[]>
  }) => Promise<void>,
) =>
  withDatabase(
    name,
    async (url, client) => {
      const seed = seeder({ DATABASE_URL: url, SQL_ENDPOINT: '' }, connectDirectly)
      const workspace = await seed.addWorkspace({})
      const [first, second] = [
        await seed.addProgram(workspace.id),
        await seed.addProgram(workspace.id),
      ]
      let slugs = 0
      const idOf = async (sql: string, values: unknown[]): Promise<string> => {
        const [id] = await columnOf(client, sql, values)
        return String(id)
      }
      await work({
        client,
        workspace,
        partner: (email, inSecond = false) =>
          seed.addPartner(workspace.id, inSecond ? second : first, { slug: `p${++slugs}`, email }),
        customer: async (email, partnerId) => {
          const id = await idOf(
            `insert into customers (id, workspace_id, external_id, email, partner_id, created_at)
             values (uuidv7(), $1, $2, $3, $4, now()) returning id as value`,
            [workspace.id, `user-${email}`, email, partnerId],
          )
          await client.query(
            `insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
             values ($1, $2, 'email', $3, 'lead', now())`,
            [workspace.id, id, email],
          )
          await client.query(
            `insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at)
             values ($1, $2, uuidv7()::text, $3, 'click', 'last', now() - interval '1 day')`,
            [workspace.id, id, partnerId],
          )
          return id
        },
        payment: (email) =>
          idOf(
            `insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, email, keys, facts, occurred_at, received_at)
             values (uuidv7(), $1, 'stripe', uuidv7()::text, 'invoice.paid', true, $2, '{}', jsonb_build_array(jsonb_build_object('email', $2::text)), now(), now())
             returning id as value`,
            [workspace.id, email],
          ),
        emails: (table, column = 'email') =>
          columnOf(
            client,
            `select ${column} as value from ${table} where ${column} like '%@%' order by 1`,
          ),
      })
    },
    TEMPLATE,
  )

test('a person’s rows get the one form, and payments that were missed are marked to be planned', () =>
  withOldRows(
    'old_addresses',
    async ({ client, workspace, partner, customer, payment, emails }) => {
      const maya = await partner(`maya@${ASCII}`)
      await partner('leo@example.com')
      await client.query(
        `insert into members (id, workspace_id, email, role) values (uuidv7(), $1, $2, 'manager')`,
        [workspace.id, `ada@${ASCII}`],
      )
      for (const email of [`maya@${ASCII}`, `maya@${LETTERS}`])
        await client.query(
          'insert into mail_optouts (workspace_id, email, created_at) values ($1, $2, now())',
          [workspace.id, email],
        )
      await client.query(
        `insert into payees (workspace_id, email, name, updated_at) values ($1, $2, 'Maya', now())`,
        [workspace.id, `maya@${ASCII}`],
      )
      await client.query(
        `insert into sign_in.users (id, name, email, email_verified, created_at, updated_at) values (uuidv7(), '', $1, true, now(), now())`,
        [`maya@${ASCII}`],
      )
      const buyer = await customer(`bo@${LETTERS}.`, maya)
      const other = await customer('kim@example.com', maya)
      await payment(`bo@${ASCII}`)
      await payment('kim@example.com')

      expect(await bringOverAddresses(client)).toEqual({ changed: 4, apart: [] })
      expect(await emails('partners')).toEqual(['leo@example.com', `maya@${LETTERS}`])
      expect(await emails('members')).toEqual([`ada@${LETTERS}`])
      for (const table of ['mail_optouts', 'payees'])
        expect(await emails(table)).toEqual([`maya@${LETTERS}`])
      expect(await emails('sign_in.users')).toEqual([])
      for (const [table, column] of [
        ['customers'],
        ['customer_identities', 'value'],
        ['processor_events'],
      ] as const)
        expect(await emails(table, column)).toEqual([`bo@${LETTERS}`, 'kim@example.com'])
      expect(await emails('processor_events', "facts -> 0 ->> 'email'")).toContain(`bo@${LETTERS}`)
      const marked = 'select id as value from customers where addressed_from is not null'
      expect(await columnOf(client, marked)).toEqual([buyer])
      expect(other).not.toBe(buyer)
      expect(
        await columnOf(
          client,
          `select details as value from audit_entries where action = 'partner.address_changed'`,
        ),
      ).toEqual([{ from: `maya@${ASCII}`, to: `maya@${LETTERS}` }])

      expect(await bringOverAddresses(client)).toEqual({ changed: 0, apart: [] })
    },
  ))

test('partners of one program who have become one are listed, and keep their addresses and money', () =>
  withOldRows('one_person_twice', async ({ client, workspace, partner, emails }) => {
    await partner(`maya@${LETTERS}`)
    await partner(`maya@${ASCII}`)
    await client.query(
      `insert into payees (workspace_id, email, name, updated_at) values ($1, $2, 'Maya', now())`,
      [workspace.id, `maya@${ASCII}`],
    )
    const apart = [{ workspace: workspace.slug, old: `maya@${ASCII}`, new: `maya@${LETTERS}` }]
    expect((await bringOverAddresses(client)).apart).toEqual(apart)
    expect(await emails('partners')).toEqual([`maya@${LETTERS}`, `maya@${ASCII}`].sort())
    expect(await emails('payees')).toEqual([`maya@${ASCII}`])
  }))

test('partners of two programs are one person then, unless both are paid', () =>
  withOldRows('one_person_in_two', async ({ client, workspace, partner, emails }) => {
    await partner(`maya@${LETTERS}`)
    await partner(`maya@${ASCII}`, true)
    await partner(`leo@${LETTERS}`)
    await partner(`leo@${ASCII}`, true)
    for (const domain of [LETTERS, ASCII])
      await client.query(
        `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, created_at)
         values (uuidv7(), $1, $2, 'DE', 'acct_' || $2, now())`,
        [workspace.id, `leo@${domain}`],
      )
    expect((await bringOverAddresses(client)).apart).toMatchObject([{ old: `leo@${ASCII}` }])
    expect(await emails('partners')).toEqual(
      [`leo@${LETTERS}`, `leo@${ASCII}`, `maya@${LETTERS}`, `maya@${LETTERS}`].sort(),
    )
  }))
