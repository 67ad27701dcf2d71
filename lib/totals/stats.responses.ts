import * as z from 'zod'

const count = (description: string) => z.int().meta({ description })

export const StatsResponse = z
  .strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    data: z.array(
      z.strictObject({
        day: z.iso.date().nullable().meta({ description: 'null unless rows are of days.' }),
        partnerId: z.uuid().nullable().meta({ description: 'null unless rows are of partners.' }),
        programId: z.uuid().nullable().meta({
          description:
            'null unless rows are of programs; null there too for what is credited to nobody.',
        }),
        landingPage: z.string().nullable().meta({
          description:
            'null unless rows are of landing pages; null there too for what came without a known one.',
        }),
        referrer: z.string().nullable().meta({
          description:
            'A host without `www.`, or `(direct)` if the browser named none. null unless rows are of referrers; null there too for what came without a known one.',
        }),
        sub: z.string().nullable().meta({
          description:
            'The `sub` of the link, such as a newsletter. null unless rows are of subs; null there too for all others.',
        }),
        clicks: count('As charts count them.'),
        leads: count('Credited or not.'),
        customers: z.int().nullable().meta({
          description:
            'New customers of partners, on the day of their first event. null for landing pages, referrers and subs.',
        }),
        sales: count('Credited or not.'),
        amounts: z.array(
          z.strictObject({
            currency: z.string(),
            revenueCents: z
              .int()
              .meta({ description: 'What the sales amount to, refunds included.' }),
            commissionCents: z.int().meta({
              description:
                'What sales and leads of the period earned, less what was reversed of it by now.',
            }),
          }),
        ),
      }),
    ),
    nextCursor: z.string().nullable().meta({ description: 'Of partners.' }),
  })
  .meta({ id: 'Stats' })
export type StatsResponse = z.infer<typeof StatsResponse>
