// SPDX-License-Identifier: Apache-2.0
// DMMA: D = A * B + C of f64, 8 x 4 by 4 x 8. Each result is a chain of four products and sums, which the sub-partition's FP64
// lanes make; this holds operands and sums, and says which go through them next. Where rows move whole.
//
// With g = lane / 4 and q = lane % 4 a lane has A's element q of row g, B's element q of column g, and of row g the results of
// columns 2 q (element 0) and 2 q + 1 (element 1). Product n of the eight is that of element n % 2 and column n / 2 of A:
//
//   FP64 lanes 16 (two beats a product, answered in cycle 4 of it); cycle 0 is that of the last step:
//   cycle       1      3      5              7        ...   15      17   19
//   product     0      1      2, chained     3              7
//   sum                       0              1              5       6    7: the second pair leaves
//
// Operands come in two steps: B and A, the first four rows; C, the last four. A set of operands takes the next instruction's while the other is worked on, so
// one follows another every 256 / FP64 lanes cycles. Results are two pairs of rows.
module mma_f64 (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     step_valid_i,
  output logic                     step_ready_o,
  input  sm_pkg::exec_req_t        step_i,

  // A product and sum of each lane: it stays until the lanes have begun the last of it (ready). Chained: in this cycle z is what they
  // answer, later it is fma_z_o.
  output logic                     fma_wants_o,    // there will be some
  output logic                     fma_valid_o,
  input  logic                     fma_ready_i,
  output logic                     fma_chained_o,
  output sm_pkg::row_elements_t    fma_x_o,  // of lanes 4 r to 4 r + 3
  output sm_pkg::column_elements_t fma_y_o,  // of lanes with this lane % 4
  output sm_pkg::wide_row_t        fma_z_o,
  input  logic                     fma_done_i,     // in order
  input  sm_pkg::row_t             fma_d_i,
  input  sm_pkg::row_t             fma_d_hi_i,

  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output sm_pkg::exec_rsp_t        rsp_o,

  output logic                     busy_o
);

  typedef logic [2:0] product_t;

  // Two sets. Sums take the places of C.
  sm_pkg::row_t [1:0]       a_q [2], b_q [2];
  sm_pkg::row_t [1:0]       c_q [4];         // {set, element}
  sm_pkg::tag_t             tag_q [2];
  logic [1:0]               full_q;
  logic                     begun_q;         // a step has come, the other will
  logic                     fill_q, read_q, sum_q, leave_q;  // the set that is filled, multiplied, added to, that leaves
  logic [1:0]               left_q;          // products of a set have all begun
  product_t                 product_q, added_q;  // the next one; the next that is answered
  sm_pkg::row_elements_t    x_q;             // the next one's operands
  sm_pkg::column_elements_t y_q;
  sm_pkg::wide_row_t        z_q;
  logic [2:0]               under_way_q;
  logic [3:0]               made_q;          // sums that may leave
  logic                     element_q;       // that leaves next

  logic put, put_last, take, last_product, leaves;

  // ---- steps ---------------------------------------------------------------------------------------------
  assign step_ready_o = !full_q[fill_q];
  assign put = step_valid_i && step_ready_o;
  assign put_last = put && step_i.step == 2'd1;
  always_ff @(posedge clk_i) begin
    if (put && step_i.step == 2'd0) begin
      a_q[fill_q] <= step_i.row[3:2];
      b_q[fill_q] <= step_i.row[1:0];
      tag_q[fill_q] <= step_i.tag;
    end
  end

  // ---- products --------------------------------------------------------------------------------------------
  // Those of element e follow each other: the one before is answered, or is being answered.
  assign fma_wants_o = full_q[read_q] && !left_q[read_q];
  assign fma_chained_o = product_q >= 3'd2 && under_way_q == 3'd2 && fma_done_i;
  assign fma_valid_o = fma_wants_o && (product_q < 3'd2 || under_way_q <= 3'd1 || fma_chained_o);
  assign take = fma_valid_o && fma_ready_i;
  assign last_product = take && product_q == '1;

  // The next product's operands: of this set, or the first of the other, whose C may be coming.
  logic     next, next_set, coming;
  product_t next_product;
  assign next_set = read_q ^ last_product;
  assign next_product = take ? product_q + 3'd1 : '0;
  assign coming = put_last && fill_q == next_set;
  assign next = take && !last_product || (last_product || !fma_wants_o) && (full_q[next_set] || coming);
  assign fma_x_o = x_q;
  assign fma_y_o = y_q;
  assign fma_z_o = z_q;
  always_ff @(posedge clk_i) begin
    if (next) begin
      for (int unsigned half = 0; half < 2; half++) begin
        for (int unsigned r = 0; r < 8; r++) x_q[r][32*half+:32] <= a_q[next_set][half][{3'(r), next_product[2:1]}];
        for (int unsigned q = 0; q < 4; q++)
          y_q[q][32*half+:32] <= b_q[next_set][half][{2'(q), next_product[0], next_product[2:1]}];
        for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++)
          z_q[lane][32*half+:32] <= coming ? step_i.row[2+half][lane] : c_q[{next_set, next_product[0]}][half][lane];
      end
    end
    // The sum that it continues comes.
    if (fma_done_i && added_q[0] == (next ? next_product[0] : product_q[0]) && (next ? next_product : product_q) >= 3'd2) begin
      for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) z_q[lane] <= {fma_d_hi_i[lane], fma_d_i[lane]};
    end
  end

  // ---- sums --------------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (put_last) begin
      c_q[{fill_q, 1'b0}] <= step_i.row[3:2];
      c_q[{fill_q, 1'b1}] <= step_i.row[5:4];
    end
    if (fma_done_i) c_q[{sum_q, added_q[0]}] <= {fma_d_hi_i, fma_d_i};
  end

  // ---- results -------------------------------------------------------------------------------------------
  // A pair leaves as it is answered, or later.
  logic made, now;
  assign made = made_q[{leave_q, element_q}];
  assign now = fma_done_i && added_q[2:1] == '1 && sum_q == leave_q && added_q[0] == element_q;
  assign rsp_valid_o = made || now;
  assign leaves = rsp_valid_o && rsp_ready_i;
  always_comb begin
    rsp_o = 'x;
    if (rsp_valid_o) begin
      rsp_o.tag = tag_q[leave_q];
      rsp_o.we = 1'b1;
      rsp_o.wide = 1'b1;
      rsp_o.index = {element_q, 1'b0};
      rsp_o.last = element_q;
      {rsp_o.p_we, rsp_o.p, rsp_o.q} = '0;
      {rsp_o.d_hi, rsp_o.d} = made ? c_q[{leave_q, element_q}] : {fma_d_hi_i, fma_d_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {full_q, left_q} <= '0;
      {begun_q, fill_q, read_q, sum_q, leave_q, element_q} <= '0;
      {product_q, added_q, under_way_q, made_q} <= '0;
    end else if (put || busy_o) begin
      if (put) begun_q <= !put_last;
      if (put_last) begin
        full_q[fill_q] <= 1'b1;
        fill_q <= !fill_q;
      end
      if (take) product_q <= product_q + 3'd1;
      if (last_product) begin
        left_q[read_q] <= 1'b1;
        read_q <= !read_q;
      end
      under_way_q <= under_way_q + 3'(take) - 3'(fma_done_i);
      if (fma_done_i) begin
        added_q <= added_q + 3'd1;
        if (added_q == '1) sum_q <= !sum_q;
        if (added_q[2:1] == '1) made_q[{sum_q, added_q[0]}] <= 1'b1;
      end
      if (leaves) begin
        made_q[{leave_q, element_q}] <= 1'b0;
        element_q <= !element_q;
        if (element_q) begin
          full_q[leave_q] <= 1'b0;
          left_q[leave_q] <= 1'b0;
          leave_q <= !leave_q;
        end
      end
    end
  end

  assign busy_o = begun_q || full_q != '0;

  // ---- assertions ------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_steps: assert (!put || (step_i.step == 2'd1) == begun_q) else $error("mma_f64: a step out of order");
      a_done: assert (!fma_done_i || under_way_q != '0) else $error("mma_f64: a sum that nobody asked for");
    end
  end

endmodule
