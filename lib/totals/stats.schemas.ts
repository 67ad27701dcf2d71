/** The query of GET /api/workspaces/:workspace/stats. */

import * as z from 'zod'
import { Page } from '../http/lists.ts'
import { MAX_RANGE_DAYS } from '../values/days.ts'
import { STATS_BY } from './stats.ts'

const day = (description: string) =>
  z.iso.date('Must be a day, such as 2026-10-01.').optional().meta({ description })

export const StatsQuery = z.object({
  from: day('The first day, in UTC. The 30 days up to `to` by default.'),
  to: day(
    `The last day, which is included. Today by default. A period has ${MAX_RANGE_DAYS} days at most.`,
  ),
  by: z.enum(STATS_BY).default('day').meta({
    description:
      'What a row is of. Partners are listed page by page; of landing pages, referrers and subs, those with the most clicks.',
  }),
  programId: z.uuid().optional(),
  partnerId: z.uuid().optional(),
  ...Page.shape,
})
