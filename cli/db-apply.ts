import { applySchema, parseDatabaseUrl } from './schema.ts'

const databaseUrl = process.env.DATABASE_URL ?? ''
try {
  if (!databaseUrl) throw new Error('Say which database: DATABASE_URL=postgres://... npm run db:apply')
  await applySchema(databaseUrl)
  console.log(`schema.sql is applied to ${parseDatabaseUrl(databaseUrl).host}.`)
} catch (error) {
  console.error(`schema.sql was not applied; nothing was changed. ${(error as Error).message}`)
  process.exitCode = 1
}
