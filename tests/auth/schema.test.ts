import { getMigrations } from 'better-auth/db/migration'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { authOptions } from '../../lib/auth/better-auth.ts'
import { connect } from '../../lib/db/connection.ts'
import { AUTH_SECRET } from '../support/secrets.ts'

test('schema.sql has every table and column that this version of Better Auth requires', async () => {
  const { DATABASE_URL } = inject('database')
  const pool = new pg.Pool({ connectionString: DATABASE_URL, options: '-c search_path=sign_in' })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const options = authOptions({
    db: connect(inject('database')),
    secret: AUTH_SECRET,
    secure: true,
  })
  try {
    const { toBeCreated, toBeAdded } = await getMigrations({
      ...options,
      database: { db, type: 'postgres' },
    })
    expect({ toBeCreated, toBeAdded }).toEqual({ toBeCreated: [], toBeAdded: [] })
  } finally {
    await db.destroy()
  }
})
