-- Limits of keys: an end, a cap and networks.
CREATE TABLE "key_caps" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"credits" integer NOT NULL,
	"period" text NOT NULL,
	"period_started_at" timestamp with time zone,
	"spent" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "key_caps_credits" CHECK ("key_caps"."credits" > 0),
	CONSTRAINT "key_caps_period" CHECK ("key_caps"."period" in ('day', 'month')),
	CONSTRAINT "key_caps_spent" CHECK ("key_caps"."spent" between 0 and "key_caps"."credits")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "cap_id" uuid;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "networks" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_cap_id_key_caps_id_fk" FOREIGN KEY ("cap_id") REFERENCES "public"."key_caps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- Charges update a cap over and over: room on the page keeps those updates in place.
ALTER TABLE "key_caps" SET (fillfactor = 50);
