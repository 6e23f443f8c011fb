CREATE TABLE "erased_marks" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"erasure" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "erasure_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"inner_pad" "bytea" NOT NULL,
	"outer_pad" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "erasures_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE INDEX "companies_domain" ON "companies" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "unlocks_person" ON "unlocks" USING btree ("person_id");