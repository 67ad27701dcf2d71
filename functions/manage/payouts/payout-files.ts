import type { Context } from 'hono'
import type * as z from 'zod'
import { recordExport } from '../../../lib/audit/audit.queries.ts'
import {
  actOf,
  freshMember,
  member,
  requireRole,
  type WorkspaceEnv,
} from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { requireFreshSignIn } from '../../../lib/auth/fresh-sign-in.ts'
import { passkeyToPay, requirePasskeyToPay } from '../../../lib/auth/passkey-for-payouts.ts'
import { FINANCE } from '../../../lib/auth/roles/role-sets.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { readPlan } from '../../../lib/payouts/files/files.queries.ts'
import type {
  RunFilesResponse,
  TemplateFileResponse,
} from '../../../lib/payouts/files/files.responses.ts'
import { ExportQuery, TemplateFile } from '../../../lib/payouts/files/files.schemas.ts'
import { wayOf } from '../../../lib/payouts/files/formats.ts'
import type { PayoutsService } from '../../../lib/payouts/payouts.rpc.ts'
import {
  findRun,
  listRunLines,
  type Run,
  type RunLine,
} from '../../../lib/payouts/runs/runs.queries.ts'
import { exportRefusalOf } from '../../../lib/payouts/runs/runs.ts'
import { csvLines } from '../../../lib/values/csv.ts'
import { exactMoney } from '../../../lib/values/money.ts'

/** Only the payouts Worker can decrypt the partners' details. */
type FilesEnv = WorkspaceEnv & {
  Bindings: { PAYOUTS: Pick<PayoutsService, 'bankFile' | 'templateFile'> }
}

const HEAD = [
  'payout id',
  'partner name',
  'e-mail',
  'currency',
  'amount',
  'program',
  'run',
  'reference',
  'pay by',
]

const toCells = (line: RunLine, runId: string): string[] => [
  line.id,
  line.partnerName ?? '',
  line.email,
  line.currency,
  exactMoney(line.amountCents, line.currency),
  line.programName,
  runId,
  line.reference,
  wayOf(line),
]

const RUN = '/api/workspaces/:workspace/payout-runs/:id'
const MAX_LEFT_OUT = 200

/** The run of the URL, if it has files. @throws {ApiError} `not_found`, `conflict` */
const runOf = async (c: Context<FilesEnv>): Promise<Run> => {
  const run = await readById(c, 'payout run', findRun)
  const refusal = exportRefusalOf(run)
  if (refusal) throw new ApiError('conflict', refusal)
  return run
}

const sendFile = (
  c: Context,
  text: string,
  { run, name, type }: { run: Run; name: string; type: string },
) => {
  const date = run.createdAt.toISOString().slice(0, 10)
  const [, extension] = type.split(/[/;]/)
  return c.body(text, 200, {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="payouts-${date}-${run.id.slice(-12)}${name}.${extension}"`,
    'Cache-Control': 'private, no-store',
  })
}

/** All payouts for people to read, without payment details. */
const sendList = async (c: Context<FilesEnv>, run: Run) => {
  // Not streamed: a truncated file would look complete, and some partners would not be paid.
  const lines = await listRunLines(c.var.db, c.var.workspace.id, run.id)
  const details = { format: 'csv', payouts: lines.length }
  await recordExport(c.var.db, actOf(c), {
    action: 'payout_run.exported',
    subjectId: run.id,
    details,
  })
  const text = csvLines([HEAD, ...lines.map((line) => toCells(line, run.id))])
  return sendFile(c, text, { run, name: '', type: 'text/csv; charset=utf-8; header=present' })
}

/** A part of a file with payment details, for managers. */
const sendBankFile = async (c: Context<FilesEnv>, wanted: z.output<typeof ExportQuery>) => {
  requireRole(c.var.workspace, FINANCE)
  requireFreshSignIn(c.var.signedInAt, c.var.now)
  requirePasskeyToPay(c)
  const run = await runOf(c)
  const { format, currency, part } = wanted
  if (format === 'csv' || !currency) {
    throw new ApiError(
      'invalid_query',
      'currency: Choose one. A file for a bank or a service has one currency.',
    )
  }
  const { actor, now, workspaceId } = actOf(c)
  const file = await rpc(
    'payouts',
    c.env.PAYOUTS.bankFile({
      ...{ workspaceId, runId: run.id, format, currency, part, actor, now },
      sourceCurrency: wanted.sourceCurrency ?? null,
      decimal: wanted.decimal,
    }),
  )
  if ('refused' in file) throw new ApiError('conflict', file.refused)
  const type = format === 'sepa' ? 'application/xml' : 'text/csv; charset=utf-8'
  return sendFile(c, file.text, { run, name: `-${format}-${currency.toLowerCase()}-${part}`, type })
}

/** Lists and sends the files of manual runs. */
export default createRoutes<FilesEnv>()
  .get(`${RUN}/files`, member(), async (c) => {
    const run = await runOf(c)
    const { files, leftOut, leftOutPayouts } = await readPlan(
      c.var.db,
      c.var.workspace.id,
      run.id,
      MAX_LEFT_OUT,
    )
    return c.json({
      files: files.map((file) => ({ ...file, amountCents: Number(file.amountCents) })),
      leftOut: leftOut.map((sum) => ({ ...sum, amountCents: Number(sum.amountCents) })),
      leftOutPayouts: leftOutPayouts.map(
        ({ id, reference, partnerId, currency, amountCents, code }) => ({
          ...{ id, reference, partnerId, currency, amountCents: Number(amountCents), code },
        }),
      ),
    } satisfies RunFilesResponse)
  })
  .get(`${RUN}/export`, member(), expensive(), query(ExportQuery), async (c) => {
    const wanted = c.req.valid('query')
    return wanted.format === 'csv' ? sendList(c, await runOf(c)) : sendBankFile(c, wanted)
  })
  .post(
    `${RUN}/wise-template`,
    freshMember(),
    passkeyToPay(),
    expensive(),
    body(TemplateFile, { maxBytes: 1_048_576 }),
    async (c) => {
      const run = await runOf(c)
      const { template, currency, sourceCurrency, part } = c.req.valid('json')
      const { actor, now, workspaceId } = actOf(c)
      const file = await rpc(
        'payouts',
        c.env.PAYOUTS.templateFile({
          ...{ workspaceId, runId: run.id, template, currency, part: part ?? 1, actor, now },
          sourceCurrency: sourceCurrency ?? null,
        }),
      )
      if ('refused' in file) throw new ApiError('conflict', file.refused)
      return c.json(file satisfies TemplateFileResponse)
    },
  )
