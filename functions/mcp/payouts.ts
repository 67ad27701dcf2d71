import * as z from 'zod'
import { found } from '../../lib/http/found-or-404.ts'
import { limitRate } from '../../lib/http/rate-limit.ts'
import { id } from '../../lib/http/report-fields.ts'
import { rpc } from '../../lib/http/rpc/rpc.ts'
import { namePartners } from '../../lib/payouts/balances/overview.queries.ts'
import { SKIP_REASONS } from '../../lib/payouts/balances/skip-reasons.ts'
import { PAYOUT_METHODS } from '../../lib/payouts/payouts.ts'
import { findProgram } from '../../lib/programs/programs.queries.ts'
import { tool } from './tools.ts'

/** Lines per list in a response to a model. Totals cover all lines. */
const MAX_LINES = 50

export const previewPayouts = tool(
  'preview_payouts',
  {
    title: 'Preview payouts',
    description:
      'Shows what a payout run would pay now: totals by currency, the largest payouts, and whom it would skip and why. ' +
      'Changes nothing, pays nobody and mails nobody.',
    input: z.strictObject({
      programId: z.optional(id('Limits the preview to one program. All programs by default.')),
      method: z.enum(PAYOUT_METHODS).default('stripe').meta({
        description: '`stripe`, or `manual` for bank transfers, if the workspace allows them.',
      }),
    }),
  },
  async (c, { programId, method }) => {
    const { db, workspace } = c.var
    await limitRate(c.env.PREVIEW_LIMIT, workspace.id)
    const program = programId
      ? await found('program', programId, (uuid) => findProgram(db, workspace.id, uuid))
      : null
    const request = { workspaceId: workspace.id, programId: program?.id ?? null, method }
    const run = await rpc('payouts', c.env.PAYOUTS.preview(request))

    const first = <Line extends { amountCents: number }>(lines: Line[]): Line[] =>
      lines.toSorted((a, b) => b.amountCents - a.amountCents).slice(0, MAX_LINES)
    const [payouts, skipped] = [first(run.payouts), first(run.skipped)]
    const ids = [...payouts, ...skipped].map(({ partnerId }) => partnerId)
    const partners = await namePartners(db, workspace.id, [...new Set(ids)])
    const named = <Line extends { partnerId: string }>(line: Line) => {
      const { slug = null, name = null } = partners.get(line.partnerId) ?? {}
      return { ...line, partnerSlug: slug, partnerName: name }
    }
    return {
      ...run,
      payoutCount: run.payouts.length,
      payouts: payouts.map(named),
      skippedCount: run.skipped.length,
      skipped: skipped.map((line) => ({ ...named(line), reason: SKIP_REASONS[line.code] })),
    }
  },
)
