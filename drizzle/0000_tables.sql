CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"tier" text DEFAULT 'free' NOT NULL,
	"organization" text,
	"balance" bigint DEFAULT 0 NOT NULL,
	"unallotted" bigint DEFAULT 0 NOT NULL,
	"settle_at" timestamp with time zone,
	"rate_started_at" timestamp with time zone,
	"rate_count" integer DEFAULT 0 NOT NULL,
	"reveal_started_at" timestamp with time zone,
	"reveal_count" integer DEFAULT 0 NOT NULL,
	"unlock_count" integer DEFAULT 0 NOT NULL,
	"plan" text,
	"plan_credits" integer,
	"plan_renews" boolean DEFAULT false NOT NULL,
	"plan_started_at" timestamp with time zone,
	"plan_ends_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_tier" CHECK ("accounts"."tier" in ('free', 'starter', 'pro', 'team', 'enterprise'))
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"label" text NOT NULL,
	"scopes" text[] DEFAULT '{}' NOT NULL,
	"environment" text DEFAULT 'live' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "change_log" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "companies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"external_id" text,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"company_type" text NOT NULL,
	"ticker" text,
	"domain" text,
	"sectors" text[] DEFAULT '{}' NOT NULL,
	"chains" text[] DEFAULT '{}' NOT NULL,
	"size" text,
	"logo_url" text,
	"twitter_handle" text,
	"community_link" text,
	"discord_url" text,
	"linkedin_url" text,
	"token_launched" boolean,
	"token_link" text,
	"ai_summary" text,
	"followers" integer,
	"handle_history" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"twitter_risk" jsonb,
	"lifecycle" text,
	"fund_type" text,
	"entity_kind" text,
	"fund_all_time_roi_pct" double precision,
	"trust_tier" text,
	"trust_tier_rank" integer,
	"alt_roles" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "companies_external_id_unique" UNIQUE("external_id"),
	CONSTRAINT "companies_slug_unique" UNIQUE("slug"),
	CONSTRAINT "companies_type" CHECK ("companies"."company_type" in ('project', 'investor', 'platform', 'launchpad', 'service', 'institution')),
	CONSTRAINT "companies_slug" CHECK ("companies"."slug" ~ '^[a-z0-9-]{1,80}$'),
	CONSTRAINT "companies_lifecycle" CHECK ("companies"."lifecycle" in ('defunct', 'deceased')),
	CONSTRAINT "companies_entity_kind" CHECK ("companies"."entity_kind" in ('organization', 'individual')),
	CONSTRAINT "companies_alt_roles" CHECK ("companies"."alt_roles" <@ '{projects,investors,services}')
);
--> statement-breakpoint
CREATE TABLE "credit_grants" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"sequence" bigserial NOT NULL,
	"account_id" uuid NOT NULL,
	"source" text NOT NULL,
	"amount" integer NOT NULL,
	"remaining" integer NOT NULL,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_grants_source" CHECK ("credit_grants"."source" in ('plan', 'trial', 'topup', 'referral')),
	CONSTRAINT "credit_grants_amount" CHECK ("credit_grants"."amount" > 0),
	CONSTRAINT "credit_grants_remaining" CHECK ("credit_grants"."remaining" between 0 and "credit_grants"."amount")
);
--> statement-breakpoint
CREATE TABLE "funding_rounds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"external_id" text,
	"company_id" uuid NOT NULL,
	"round_type" text,
	"round_event_name" text,
	"amount_usd" double precision,
	"announce_date" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "funding_rounds_external_id_unique" UNIQUE("external_id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"charged_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"sequence" bigserial NOT NULL,
	"account_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"kind" text NOT NULL,
	"credits" integer NOT NULL,
	"balance_after" bigint NOT NULL,
	"request_id" text,
	"endpoint" text,
	"key_id" uuid,
	"person_id" uuid,
	"grant_id" uuid,
	CONSTRAINT "ledger_account_id_sequence_pk" PRIMARY KEY("account_id","sequence"),
	CONSTRAINT "ledger_kind" CHECK ("ledger"."kind" in ('charge', 'grant', 'expiry', 'reversal'))
);
--> statement-breakpoint
CREATE TABLE "people" (
	"id" uuid PRIMARY KEY NOT NULL,
	"external_id" text,
	"slug" text,
	"first_name" text,
	"last_name" text,
	"job_title" text,
	"twitter_handle" text,
	"avatar_url" text,
	"is_creator" boolean DEFAULT false NOT NULL,
	"creator_follower_count" integer,
	"company_id" uuid,
	"contact_type" text DEFAULT 'team' NOT NULL,
	"roles" text[] DEFAULT '{}' NOT NULL,
	"has_email" boolean DEFAULT false NOT NULL,
	"has_phone" boolean DEFAULT false NOT NULL,
	"has_telegram" boolean DEFAULT false NOT NULL,
	"has_linkedin" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "people_external_id_unique" UNIQUE("external_id"),
	CONSTRAINT "people_slug_unique" UNIQUE("slug"),
	CONSTRAINT "people_slug" CHECK ("people"."slug" ~ '^[a-z0-9-]{1,80}$'),
	CONSTRAINT "people_contact_type" CHECK ("people"."contact_type" in ('analyst', 'team'))
);
--> statement-breakpoint
CREATE TABLE "private_channels" (
	"person_id" uuid PRIMARY KEY NOT NULL,
	"email" text,
	"phone" text,
	"telegram" text,
	"linkedin_url" text
);
--> statement-breakpoint
CREATE TABLE "rejected_keys" (
	"address" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "round_investors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"round_id" uuid NOT NULL,
	"investor_id" uuid NOT NULL,
	"is_lead" boolean DEFAULT false NOT NULL,
	CONSTRAINT "round_investors_once" UNIQUE("round_id","investor_id")
);
--> statement-breakpoint
CREATE TABLE "unlocks" (
	"account_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "unlocks_account_id_person_id_pk" PRIMARY KEY("account_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_grants" ADD CONSTRAINT "credit_grants_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "funding_rounds" ADD CONSTRAINT "funding_rounds_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "private_channels" ADD CONSTRAINT "private_channels_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "round_investors" ADD CONSTRAINT "round_investors_round_id_funding_rounds_id_fk" FOREIGN KEY ("round_id") REFERENCES "public"."funding_rounds"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "round_investors" ADD CONSTRAINT "round_investors_investor_id_companies_id_fk" FOREIGN KEY ("investor_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "change_log_age" ON "change_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "credit_grants_account" ON "credit_grants" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "funding_rounds_company" ON "funding_rounds" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("charged_at");--> statement-breakpoint
CREATE INDEX "people_company" ON "people" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "rejected_keys_age" ON "rejected_keys" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "round_investors_investor" ON "round_investors" USING btree ("investor_id");