import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { APPLICATION_STATUSES } from './applications.ts'
import { INVITATION_STATUSES } from './invitations.ts'

export const ApplicationResponse = z
  .strictObject({
    id: z.uuid(),
    programId: z.uuid(),
    email: z
      .string()
      .meta({ description: 'Proved by a sign-in link, unless the person is only invited.' }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'null until the person answers an invitation.' }),
    status: z.enum(APPLICATION_STATUSES),
    siteUrl: z.string().nullable(),
    promotion: z
      .string()
      .nullable()
      .meta({ description: 'How the person will promote the program.' }),
    answers: z
      .array(z.strictObject({ question: z.string(), answer: z.string() }))
      .meta({ description: 'The questions as the page asked them.' }),
    agreementVersion: z
      .int()
      .nullable()
      .meta({ description: 'The version of the terms that the person has accepted.' }),
    appliedAt: timestamp.nullable(),
    invitedAt: timestamp.nullable(),
    invitedBy: z.string().nullable(),
    groupId: z.uuid().nullable().meta({ description: 'The group of the invitation.' }),
    decidedAt: timestamp.nullable(),
    decidedBy: z.string().nullable().meta({
      description:
        'An email address, or `API key "<name>"`; null if the page approved automatically.',
    }),
    reason: z.string().nullable().meta({ description: 'Why it was rejected.' }),
    blocked: z
      .boolean()
      .meta({ description: 'Whether the person can’t apply to the program again.' }),
    partnerId: z.uuid().nullable().meta({ description: 'The partner that the person has become.' }),
  })
  .meta({ id: 'Application' })
export type ApplicationResponse = z.infer<typeof ApplicationResponse>

const agreementVersion = z.int().meta({ description: '1 is the first.' })

export const JoinPageResponse = z
  .strictObject({
    url: z.url().meta({ description: 'Where people apply. It exists once settings were saved.' }),
    open: z.boolean(),
    intro: z.string(),
    questions: z.array(z.string()),
    approves: z.boolean(),
    groupId: z.uuid().nullable(),
    agreement: z
      .strictObject({ version: agreementVersion, content: z.string() })
      .nullable()
      .meta({ description: 'The newest terms; null if there is nothing to accept.' }),
  })
  .meta({ id: 'JoinPage' })
export type JoinPageResponse = z.infer<typeof JoinPageResponse>

const agreement = { version: agreementVersion, createdBy: z.string(), createdAt: timestamp }

export const AgreementsResponse = z.strictObject({
  data: z.array(z.strictObject(agreement)),
  nextCursor: z.string().nullable(),
})
export type AgreementsResponse = z.infer<typeof AgreementsResponse>

export const AgreementResponse = z
  .strictObject({
    ...agreement,
    content: z.string().nullable().meta({ description: 'null if the version ended the terms.' }),
  })
  .meta({ id: 'Agreement' })
export type AgreementResponse = z.infer<typeof AgreementResponse>

const people = (description: string) => z.int().meta({ description })

export const InvitationsResponse = z
  .strictObject({
    summary: z.strictObject({
      invited: people('People who get an email.'),
      invitedBefore: people('People who were invited within the last day, and get no other email.'),
      partners: people('People who are partners of the program.'),
      applied: people('People whose applications wait.'),
      blocked: people('People who are blocked.'),
    }),
    results: z.array(
      z.strictObject({
        email: z.string(),
        status: z.enum(INVITATION_STATUSES),
        applicationId: z
          .uuid()
          .nullable()
          .meta({ description: 'null for a partner who has not applied.' }),
      }),
    ),
  })
  .meta({ id: 'Invitations' })
export type InvitationsResponse = z.infer<typeof InvitationsResponse>
