/** `npm run db:apply`: brings the database of DATABASE_URL to the current schema. */
import { parseDatabaseUrl } from './database.ts'
import { applySchema } from './schema.ts'

const databaseUrl = process.env.DATABASE_URL ?? ''
try {
  if (!databaseUrl)
    throw new Error('Set the database: DATABASE_URL=postgres://... npm run db:apply')
  const applied = await applySchema(databaseUrl)
  for (const name of applied) console.log(`Applied ${name}.`)
  console.log(`The database at ${parseDatabaseUrl(databaseUrl).host} is up to date.`)
} catch (error) {
  console.error(`The database is not up to date. ${(error as Error).message}`)
  process.exitCode = 1
}
