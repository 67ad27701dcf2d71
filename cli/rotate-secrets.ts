/**
 * `npm run rotate-secrets`: re-encrypts every secret in the database with the first key of
 * SECRETS_KEY. Safe to repeat, also while the Workers run. Exit code 1: some secrets cannot be
 * decrypted. Exit code 2: the command could not run.
 */
import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import type pg from 'pg'
import { sealContext } from '../lib/imports/sources/source.ts'
import { rotateSecret } from '../lib/platform/secrets.ts'
import { counted } from '../lib/values/plural.ts'
import { withClient } from './database.ts'

const UNREADABLE = 1
const FAILED = 2

/** The columns with secrets, and their names. */
const PLACES: {
  table: string
  key: string
  column: string
  name: string
  /** The context of a secret, if it is not the workspace. */
  contextOf?: (workspaceId: string) => string
}[] = [
  { table: 'stripe_keys', key: 'workspace_id', column: 'ciphertext', name: 'Stripe key' },
  { table: 'stripe_secrets', key: 'id', column: 'ciphertext', name: 'signing secret' },
  { table: 'payment_details', key: 'id', column: 'ciphertext', name: 'payment detail' },
  { table: 'webhook_endpoints', key: 'id', column: 'ciphertext', name: 'webhook secret' },
  {
    table: 'webhook_endpoints',
    key: 'id',
    column: 'former_ciphertext',
    name: 'former webhook secret',
  },
  { table: 'payers', key: 'workspace_id', column: 'iban_ciphertext', name: 'payer IBAN' },
  {
    table: 'import_sources',
    key: 'id',
    column: 'ciphertext',
    name: 'platform token',
    contextOf: sealContext,
  },
]
type Place = (typeof PLACES)[number]

type Row = { key: string; workspaceId: string; ciphertext: string }

/** Rows per query. */
const PAGE = 500

async function* rowsOf(client: pg.Client, { table, key, column }: Place) {
  let after: string | null = null
  for (;;) {
    const { rows }: pg.QueryResult<Row> = await client.query(
      `select ${key} as key, workspace_id as "workspaceId", ${column} as ciphertext from ${table}
       where ${column} <> '' and ($1::uuid is null or ${key} > $1) order by ${key} limit ${PAGE}`,
      [after],
    )
    yield* rows
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return
    after = last.key
  }
}

/**
 * Re-encrypts the secrets of one column. A secret that changes meanwhile has the first key already.
 */
const rotate = async (client: pg.Client, setting: string, place: Place) => {
  const counts = { rotated: 0, current: 0, unreadable: 0 }
  for await (const { key, workspaceId, ciphertext } of rowsOf(client, place)) {
    const result = await rotateSecret(
      setting,
      place.contextOf?.(workspaceId) ?? workspaceId,
      ciphertext,
    )
    if (typeof result === 'string') {
      counts[result]++
      continue
    }
    await client.query(
      `update ${place.table} set ${place.column} = $1 where ${place.key} = $2 and ${place.column} = $3`,
      [result.ciphertext, key, ciphertext],
    )
    counts.rotated++
  }
  return counts
}

/** The settings from the environment, or from the file of the deployment. */
const readSettings = () => {
  const { values } = parseArgs({
    options: { 'secrets-file': { type: 'string', default: '.prod.vars' } },
  })
  const { DATABASE_URL, SECRETS_KEY } = process.env
  if (DATABASE_URL && SECRETS_KEY) return { DATABASE_URL, SECRETS_KEY }
  return parseEnv(readFileSync(values['secrets-file'], 'utf8'))
}

try {
  const { DATABASE_URL = '', SECRETS_KEY = '' } = readSettings()
  await withClient(DATABASE_URL, async (client) => {
    for (const place of PLACES) {
      const { rotated, current, unreadable } = await rotate(client, SECRETS_KEY, place)
      const rest = unreadable ? `, ${unreadable} cannot be decrypted with these keys` : ''
      console.log(`${counted(rotated, place.name)} re-encrypted, ${current} already done${rest}.`)
      if (unreadable) process.exitCode = UNREADABLE
    }
  })
  if (!process.exitCode)
    console.log(
      'All secrets are encrypted with the first key of SECRETS_KEY. Remove the others, and deploy.',
    )
} catch (error) {
  console.error(`The secrets could not be rotated. ${(error as Error).message}`)
  process.exitCode = FAILED
}
