import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import {
  AgreementResponse,
  AgreementsResponse,
  ApplicationResponse,
  InvitationsResponse,
  JoinPageResponse,
} from '../../lib/applications/applications.responses.ts'
import {
  AgreementQuery,
  ApplicationQuery,
  Approval,
  JoinPageChange,
  NewInvitations,
  Rejection,
} from '../../lib/applications/applications.schemas.ts'
import {
  actWith,
  byWriter,
  get,
  id,
  list,
  patch,
  post,
  remove,
  returning,
  unlessExists,
  WORKSPACE,
} from '../operations.ts'

export const applications: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/applications`]: {
    get: list('List applications', ApplicationResponse, ApplicationQuery),
  },
  [`${WORKSPACE}/applications/{id}`]: {
    get: get('Get an application', ApplicationResponse),
    delete: byWriter(remove('Delete an application that is not approved', undefined, 'conflict')),
  },
  [`${WORKSPACE}/applications/{id}/approve`]: {
    post: byWriter({
      ...actWith(
        'Approve an application: the person becomes a partner',
        Approval,
        ApplicationResponse,
      ),
      description: 'The new partner gets an email with the link.',
    }),
  },
  [`${WORKSPACE}/applications/{id}/reject`]: {
    post: byWriter(actWith('Reject an application', Rejection, ApplicationResponse)),
  },
  [`${WORKSPACE}/invitations`]: {
    post: byWriter(
      unlessExists(
        post('Invite people by email to become partners', NewInvitations, InvitationsResponse),
        'Nobody had to be invited.',
      ),
    ),
  },
  [`${WORKSPACE}/programs/{id}/join-page`]: {
    get: get('Get the page on which people apply to a program', JoinPageResponse),
    patch: patch(
      'Change the page on which people apply to a program',
      JoinPageChange,
      JoinPageResponse,
    ),
  },
  [`${WORKSPACE}/programs/{id}/agreements`]: {
    get: returning(
      list('List the versions of a program’s terms', AgreementsResponse, AgreementQuery, id),
      'A page.',
      AgreementsResponse,
    ),
  },
  [`${WORKSPACE}/programs/{id}/agreements/{version}`]: {
    get: get('Get a version of a program’s terms', AgreementResponse, {
      ...id,
      version: z.int().min(1),
    }),
  },
}
