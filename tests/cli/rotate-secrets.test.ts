import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { seeder } from '../../dev/demo/seed.ts'
import { ROOT } from '../../dev/root.ts'
import { newId } from '../../lib/db/ids.ts'
import { sealContext } from '../../lib/imports/sources/source.ts'
import { decryptSecret, encryptSecret } from '../../lib/platform/secrets.ts'
import { connectDirectly, TEMPLATE, withDatabase } from '../support/databases.ts'
import { SECRETS_KEY } from '../support/secrets.ts'

const NEW = 'the-new-key-of-more-than-32-characters'
const LOST = 'a-key-that-nobody-has-any-longer-at-all'

const rotate = (DATABASE_URL: string, keys: string) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const env = { ...process.env, DATABASE_URL, SECRETS_KEY: keys }
    const child = execFile(
      process.execPath,
      ['cli/rotate-secrets.ts'],
      { cwd: ROOT, env },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })

test('secrets are encrypted with the new key, and what no key decrypts is left and reported', () =>
  withDatabase(
    'rotate_secrets',
    async (url, client) => {
      const workspaces = [LOST, SECRETS_KEY, SECRETS_KEY].map((key) => ({ id: newId(), key }))
      for (const [index, { id, key }] of workspaces.entries()) {
        await client.query('insert into workspaces (id, slug, name) values ($1, $2, $2)', [
          id,
          `shop-${index}`,
        ])
        await client.query(
          `insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, created_at)
           values ($1, $2, '1234', 'acct_' || $3::text, false, now())`,
          [id, await encryptSecret(key, id, `sk_test_${index}`), index],
        )
        await client.query(
          `insert into payers (workspace_id, name, iban_ciphertext, iban_masked, updated_at)
           values ($1, 'Shop', $2, '1', now())`,
          [id, await encryptSecret(SECRETS_KEY, id, 'DE89')],
        )
      }
      const [source, shop] = [newId(), workspaces[1]?.id ?? '']
      const programId = await seeder({ DATABASE_URL: url }, connectDirectly).addProgram(shop)
      await client.query(
        `insert into import_sources (id, workspace_id, program_id, purpose, platform, ciphertext, started_by, created_at, resource, progress, next_attempt_at)
         values ($1, $2, $3, 'import', 'rewardful', $4, 'ann@x.example', now(), 'partners', '{}', now())`,
        [source, shop, programId, await encryptSecret(SECRETS_KEY, sealContext(shop), 'a token')],
      )
      const first = await rotate(url, `${NEW},${SECRETS_KEY}`)
      expect(first.output).toContain(
        '2 Stripe keys re-encrypted, 0 already done, 1 cannot be decrypted',
      )
      expect(first.output).toContain('1 platform token re-encrypted')
      expect(first.output).toContain('3 payer IBANs re-encrypted, 0 already done.')
      expect(first.code).toBe(1)

      const { rows } = await client.query<{ id: string; key: string; iban: string }>(
        `select workspace_id as id, ciphertext as key, iban_ciphertext as iban
         from stripe_keys join payers using (workspace_id) order by id`,
      )
      const read = ({ id, key, iban }: (typeof rows)[number]) =>
        Promise.all([decryptSecret(NEW, id, key), decryptSecret(NEW, id, iban)])
      expect(await Promise.all(rows.map(read))).toEqual([
        [null, 'DE89'],
        ['sk_test_1', 'DE89'],
        ['sk_test_2', 'DE89'],
      ])

      const { rows: tokens } = await client.query('select ciphertext from import_sources')
      expect(await decryptSecret(NEW, sealContext(shop), tokens[0].ciphertext)).toBe('a token')

      await client.query('delete from stripe_keys where workspace_id = $1', [workspaces[0]?.id])
      const again = await rotate(url, `${NEW},${SECRETS_KEY}`)
      expect(again.output).toContain('0 Stripe keys re-encrypted, 2 already done.')
      expect(again.output).toContain('Remove the others')
      expect(again.code).toBe(0)
      expect((await rotate(url, 'short')).output).toContain(
        'SECRETS_KEY must have at least 32 characters.',
      )
    },
    TEMPLATE,
  ))
