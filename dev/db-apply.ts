import { applySchema } from './schema.ts'

const databaseUrl = process.env.DATABASE_URL
if (!databaseUrl) {
  console.error('Say which database: DATABASE_URL=postgres://... npm run db:apply')
  process.exit(1)
}
try {
  await applySchema(databaseUrl)
  console.log(`schema.sql is applied to ${new URL(databaseUrl).host}.`)
} catch (error) {
  console.error(
    `schema.sql was not applied; nothing was changed. ${error instanceof Error ? error.message : error}`,
  )
  process.exit(1)
}
