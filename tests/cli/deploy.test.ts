/** `npm run deploy`, with a stand-in for wrangler that keeps what it is given. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { roleOf, ZONES } from '../../cli/roles.ts'
import { ROOT } from '../../dev/root.ts'
import { withDatabase } from '../support/databases.ts'

const run = promisify(execFile)

/** wrangler deploy --env ENV --secrets-file FILE */
const WRANGLER = `#!/bin/sh
if [ -n "$5" ]; then cp "$5" "$KEPT/$3.json"; else echo '{}' > "$KEPT/$3.json"; fi
`

test('a deployment creates the roles, and gives each Worker that of its zone', async () => {
  const folder = join(inject('folder'), 'deploy')
  const [bin, kept] = [join(folder, 'bin'), join(folder, 'kept')]
  for (const path of [bin, kept]) await mkdir(path, { recursive: true })
  await writeFile(join(bin, 'wrangler'), WRANGLER)
  await chmod(join(bin, 'wrangler'), 0o755)

  await withDatabase('deployed', async (url) => {
    const secrets = { DATABASE_URL: url, AUTH_SECRET: 'a'.repeat(32), SECRETS_KEY: 's'.repeat(32) }
    const file = join(folder, 'prod.vars')
    await writeFile(
      file,
      Object.entries(secrets)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
    )
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, KEPT: kept }
    await run(process.execPath, ['cli/deploy.ts', '--secrets-file', file], { cwd: ROOT, env })

    const given: Record<string, Record<string, string>> = {}
    for (const name of await readdir(kept))
      given[name.replace('.json', '')] = JSON.parse(await readFile(join(kept, name), 'utf8'))
    expect(JSON.stringify(given)).not.toContain(new URL(url).password)
    expect(given.router).toEqual({})
    expect(given.payouts).toEqual({ DATABASE_URL: expect.any(String), SECRETS_KEY: secrets.SECRETS_KEY })
    for (const [zone, workers] of Object.entries(ZONES)) {
      for (const worker of workers) {
        const client = new pg.Client({ connectionString: given[worker]?.DATABASE_URL })
        await client.connect()
        const { rows } = await client.query('select current_user as role')
        await client.end()
        expect({ worker, rows }).toEqual({
          worker,
          rows: [{ role: roleOf(url, zone as keyof typeof ZONES) }],
        })
      }
    }
  })
})
